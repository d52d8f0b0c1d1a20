import type { Roster } from '../config/credentials.js';
import type { FilledOptions } from '../config/options.js';
import { type CredentialSource, RosterCredentials } from '../s3/auth/principal.js';
import type { IdentityMetrics } from '../telemetry/identity-metrics.js';
import type { Logger } from '../telemetry/logger.js';
import type { HealthCheck } from './protocol.js';

/** The credentials that may sign requests, as the configuration says. */
export interface OpenCredentials {
  readonly source: CredentialSource;
  /** The file was changed; says nothing to an identity service. */
  replace(roster: Roster): void;
  probe(): Promise<readonly HealthCheck[]>;
  close(): Promise<void>;
}

/**
 * Opens the credentials of the roster or of an identity service. Only where there is such a service is
 * the code loaded that asks it: that is 19 MiB of memory in each process.
 * @param metrics - of an identity service, where there is one
 * @throws StartError
 */
export async function openCredentials(
  options: FilledOptions,
  roster: Roster,
  log: Logger,
  metrics?: IdentityMetrics,
): Promise<OpenCredentials> {
  if (options.credentialsSource !== 'identity') return openRoster(roster);
  const { openIdentity } = await import('./open-identity.js');
  return openIdentity(options, log, metrics);
}

function openRoster(roster: Roster): OpenCredentials {
  const source = new RosterCredentials(roster);
  return {
    source,
    replace: (changed) => {
      source.replace(changed);
    },
    probe: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
}
