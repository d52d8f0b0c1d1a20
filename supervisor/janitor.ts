import { existsSync } from 'node:fs';
import { type FilledOptions, storeDirectory } from '../src/config/options.js';
import type {
  JanitorCommandInit,
  JanitorMode,
  RepairCommandInit,
} from '../src/processes/janitor-command-protocol.js';
import { runCommandChild } from './command-child.js';
import { Failure, type ExitReason } from './exit-codes.js';
import type { Settings } from './settings.js';
import { warn } from './warn.js';

/**
 * `ringway janitor`. The data directory's lock is not asked for: the store may be shared, and leases
 * keep janitors apart.
 *
 * @param entry - path of the program
 * @throws Failure as a start's, `locked`, `incomplete`, `output`
 */
export function runJanitor(
  settings: Settings,
  mode: JanitorMode,
  entry: string,
): Promise<ExitReason> {
  return runBeside<JanitorCommandInit>(settings, { mode }, entry);
}

/**
 * `ringway repair`, beside a service as well: all that it changes it commits as requests do.
 *
 * @param entry - path of the program
 * @throws Failure as a start's, `noInput`, `incomplete`, `output`
 */
export function runRepair(
  settings: Settings,
  what: Omit<RepairCommandInit, 'options' | 'credentials'>,
  entry: string,
): Promise<ExitReason> {
  return runBeside<RepairCommandInit>(settings, what, entry);
}

/** Starts the process that does it, and waits. */
async function runBeside<Init extends Pick<JanitorCommandInit, 'options' | 'credentials'>>(
  { options, credentials, warnings }: Settings,
  what: Omit<Init, 'options' | 'credentials'>,
  entry: string,
): Promise<ExitReason> {
  for (const line of warnings) warn(line);
  if (!isStoreThere(options)) {
    throw new Failure('dataDirectory', `there is no store in ${storeDirectory(options)} yet`);
  }
  if (credentials === undefined) {
    const { credentialsFile } = options;
    throw new Failure('config', `${credentialsFile}: expected a file with credentials`);
  }
  const init = { ...what, options, credentials: credentials.roster };
  return runCommandChild(entry, init);
}

/**
 * Whether the embedded store exists. Opening it would create it, but the command needs an existing
 * one.
 */
export function isStoreThere(options: FilledOptions): boolean {
  return options.backend !== 'embedded' || existsSync(storeDirectory(options));
}
