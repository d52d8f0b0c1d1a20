import { existsSync } from 'node:fs';
import { type FilledOptions, storeDirectory } from '../src/config/options.js';
import type { JanitorOrder, RepairOrder } from '../src/processes/janitor-command-protocol.js';
import { runCommandChild } from './command-child.js';
import { Failure, type ExitReason } from './exit-codes.js';
import type { Settings } from './settings.js';
import { warn } from './warn.js';

/**
 * `ringway janitor` and `ringway repair`: starts the process that does it, beside a service as well,
 * and waits. The data directory's lock is not asked for: the store may be shared, leases keep
 * janitors apart, and all that a repair changes it commits as requests do.
 *
 * @param entry - path of the program
 * @throws Failure as a start's, `locked`, `noInput`, `incomplete`, `output`
 */
export async function runBeside(
  { options, credentials, warnings }: Settings,
  order: JanitorOrder | RepairOrder,
  entry: string,
): Promise<ExitReason> {
  for (const line of warnings) warn(line);
  expectStore(options);
  if (credentials === undefined) {
    const { credentialsFile } = options;
    throw new Failure('config', `${credentialsFile}: expected a file with credentials`);
  }
  return runCommandChild(entry, { ...order, options, credentials: credentials.roster });
}

/**
 * Opening the embedded store would create it, but the command needs an existing one.
 * @throws Failure
 */
export function expectStore(options: FilledOptions): void {
  const directory = storeDirectory(options);
  if (options.backend !== 'embedded' || existsSync(directory)) return;
  throw new Failure('dataDirectory', `there is no store in ${directory} yet`);
}
