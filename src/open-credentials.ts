import type { Roster } from './config/credentials.js';
import type { FilledOptions } from './config/options.js';
import type { HealthCheck } from './process/protocol.js';
import type { CredentialSource } from './s3/auth/principal.js';
import { RosterCredentials } from './s3/auth/roster.js';
import type { Logger } from './telemetry/logger.js';

/** Who may sign requests, as the configuration says. */
export interface OpenCredentials {
  readonly source: CredentialSource;
  /** The file was changed; says nothing to an identity service. */
  replace(roster: Roster): void;
  probe(): Promise<readonly HealthCheck[]>;
  close(): Promise<void>;
}

/**
 * Loads what asks an identity service where there is one alone: that is 19 MiB of memory.
 * @throws StartError
 */
export async function openCredentials(
  options: FilledOptions,
  roster: Roster,
  log: Logger,
): Promise<OpenCredentials> {
  if (options.credentialsSource !== 'identity') return openRoster(roster);
  const { openIdentity } = await import('./open-identity.js');
  return openIdentity(options, log);
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
