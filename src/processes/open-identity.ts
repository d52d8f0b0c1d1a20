import type { FilledOptions } from '../config/options.js';
import { ConfigError } from '../config/problem.js';
import { readSecretFile } from '../config/secret-file.js';
import { IdentityProbe } from '../identity/health.js';
import { IdentityCredentials } from '../identity/identity-credentials.js';
import { Keystone, type KeystoneCall } from '../identity/keystone.js';
import type { StaleUsers } from '../identity/known-users.js';
import { projectAccounts } from '../identity/project-accounts.js';
import { ServiceTokens } from '../identity/service-token.js';
import { SignatureService } from '../identity/signature-service.js';
import type { IdentityMapping } from '../identity/user.js';
import type { IdentityMetrics } from '../telemetry/identity-metrics.js';
import type { Logger } from '../telemetry/logger.js';
import { StartError } from './child.js';
import type { OpenCredentials } from './open-credentials.js';

/**
 * Opens the credentials that Keystone knows.
 * @throws StartError
 */
export function openIdentity(
  options: FilledOptions,
  log: Logger,
  metrics?: IdentityMetrics,
): OpenCredentials {
  const now = (): number => performance.now();
  const keystone = openKeystone(options, (call) => metrics?.requested(call));
  const tokens = serviceTokens(options, keystone, now);
  const probe = new IdentityProbe(keystone, tokens, now);
  const service = new SignatureService({
    keystone,
    tokens,
    mapping: mappingOf(options),
    onSecretsRefused: () => {
      log.warn('identity_user may not read secrets: every request is asked about');
    },
    now,
  });
  const source = new IdentityCredentials({
    service,
    accounts: options.identityAccounts,
    cacheMs: options.identityCacheMs,
    staleMs: options.identityStaleMs,
    onLookup: (found) => metrics?.lookedUp(found),
    onHealth: (problem) => {
      if (problem === undefined) log.info('the identity service answers again');
      else log.warn({ problem }, 'the identity service cannot be asked');
      probe.doubt();
    },
    now,
  });
  let isUp = false;
  metrics?.watch({
    endpoint: new URL(options.identityUrl).origin,
    knownKeys: () => source.size,
    isUp: () => isUp,
  });
  return {
    source,
    replace: () => undefined,
    probe: async () => {
      const { ok, answers, detail } = await probe.look();
      isUp = answers;
      const more = answers ? '' : `; ${staleDetail(source.stale)}`;
      return [{ name: 'identity', ok, detail: `${detail}${more}` }];
    },
    close: () => keystone.close(),
  };
}

/** The accounts of Keystone's projects, for the janitor. */
export interface OpenProjects {
  /** @throws IdentityUnavailable */
  accounts(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * @returns undefined without an `identity_user`, who could ask
 * @throws StartError
 */
export function openProjects(options: FilledOptions): OpenProjects | undefined {
  const keystone = openKeystone(options);
  const tokens = serviceTokens(options, keystone, () => performance.now());
  if (tokens === undefined) return undefined;
  return {
    accounts: () => projectAccounts(tokens, mappingOf(options)),
    close: () => keystone.close(),
  };
}

function openKeystone(options: FilledOptions, onCall?: (call: KeystoneCall) => void): Keystone {
  return new Keystone({
    url: options.identityUrl,
    timeoutMs: options.identityTimeoutMs,
    requestsMax: options.identityRequestsMax,
    onCall,
  });
}

function mappingOf(options: FilledOptions): IdentityMapping {
  return {
    accountPrefix: options.identityAccountPrefix,
    ownerRoles: options.identityOwnerRoles,
  };
}

function staleDetail({ count, leftMs }: StaleUsers): string {
  if (count === 0) return 'no access key is known, so that all requests fail';
  const keys = count === 1 ? '1 known access key goes' : `${count} known access keys go`;
  return `${keys} on, for ${Math.ceil(leftMs / 60_000)} min at most`;
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
