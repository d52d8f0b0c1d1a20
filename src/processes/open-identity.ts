import type { FilledOptions } from '../config/options.js';
import { ConfigError } from '../config/problem.js';
import { readSecretFile } from '../config/secret-file.js';
import { IdentityProbe } from '../identity/health.js';
import { IdentityCredentials } from '../identity/identity-credentials.js';
import { Keystone } from '../identity/keystone.js';
import { ServiceTokens } from '../identity/service-token.js';
import { SignatureService } from '../identity/signature-service.js';
import type { Logger } from '../telemetry/logger.js';
import { StartError } from './child.js';
import type { OpenCredentials } from './open-credentials.js';

/** Opens the credentials that Keystone knows. */
export function openIdentity(options: FilledOptions, log: Logger): OpenCredentials {
  const keystone = new Keystone({
    url: options.identityUrl,
    timeoutMs: options.identityTimeoutMs,
    requestsMax: options.identityRequestsMax,
  });
  const now = (): number => performance.now();
  const tokens = serviceTokens(options, keystone, now);
  const service = new SignatureService({
    keystone,
    tokens,
    mapping: {
      accountPrefix: options.identityAccountPrefix,
      ownerRoles: options.identityOwnerRoles,
    },
    onSecretsRefused: () => {
      log.warn('identity_user may not read secrets: every request is asked about');
    },
    now,
  });
  const source = new IdentityCredentials({
    service,
    accounts: options.identityAccounts,
    cacheMs: options.identityCacheMs,
    onHealth: (problem) => {
      if (problem === undefined) log.info('the identity service answers again');
      else log.warn({ problem }, 'the identity service cannot be asked');
    },
    now,
  });
  const probe = new IdentityProbe(keystone, tokens, now);
  return {
    source,
    replace: () => undefined,
    probe: async () => [{ name: 'identity', ...(await probe.look()) }],
    close: () => keystone.close(),
  };
}

function serviceTokens(
  options: FilledOptions,
  keystone: Keystone,
  now: () => number,
): ServiceTokens | undefined {
  const { identityUser: name, identityProject: project, identityDomain: domain } = options;
  if (name === '') return undefined;
  try {
    const password = readSecretFile('identity_key_file', options.identityKeyFile);
    return new ServiceTokens(keystone, { name, password, project, domain }, now);
  } catch (error) {
    const failure = error instanceof ConfigError ? 'config' : 'internal';
    throw new StartError(failure, (error as Error).message, { cause: error });
  }
}
