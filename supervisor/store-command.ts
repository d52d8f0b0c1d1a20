import { mkdirSync } from 'node:fs';
import type { StoreCommandInit, StoreOrder } from '../src/processes/store-command-protocol.js';
import { runCommandChild } from './command-child.js';
import { Failure, type ExitReason } from './exit-codes.js';
import { expectStore } from './janitor.js';
import { lockDataDirectory } from './lock.js';
import type { Settings } from './settings.js';
import { warn } from './warn.js';

/** Where an export goes or comes from: stdout or stdin. */
const STANDARD = '-';

/**
 * `ringway store`: beside a service, but for `compact`, which needs the store for itself.
 *
 * @param entry - path of the program
 * @throws Failure as a start's, `drainTimeout` for faults, `noInput`, `incomplete`, `locked`, `output`
 */
export async function runStore(
  { options, warnings }: Settings,
  { action, file }: StoreOrder,
  entry: string,
): Promise<ExitReason> {
  for (const line of warnings) warn(line);
  if (options.backend !== 'embedded') {
    throw new Failure(
      'config',
      'ringway store is for the embedded store; Swift has tools of its own',
    );
  }
  // An import may make the store; all else needs one.
  if (action === 'import') mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  else expectStore(options);
  const init: StoreCommandInit = { action, file: file === STANDARD ? undefined : file, options };
  if (action !== 'compact') return runCommandChild(entry, init);
  const lock = await lockDataDirectory(options.dataDir);
  try {
    return await runCommandChild(entry, init);
  } finally {
    lock.release();
  }
}
