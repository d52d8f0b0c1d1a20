import { BufferPool } from '../../lib/buffers/buffer-pool.js';
import { BodyFiles } from './body-files.js';
import { CommitQueue } from './commit-queue.js';
import { ContainerIds } from './container-ids.js';
import type { StoreDeps } from './deps.js';
import { isHeld } from './holds.js';
import { freeBytes, type Layout } from './layout.js';
import type { FilledOptions } from './options.js';
import { encodeIdentity, ownIdentity } from './process-identity.js';
import { Reaper } from './reaper.js';
import { Reservations } from './reservations.js';
import { SpaceGuard } from './space-guard.js';
import { closeTables, type Tables } from './tables.js';

/** Buffers kept for reuse: 8 MiB with chunks of 512 KiB. */
const POOL_KEEP_MAX = 16;

/** Puts together what works on an open index. */
export function assembleDeps(options: FilledOptions, layout: Layout, tables: Tables): StoreDeps {
  const self = ownIdentity();
  const owner = encodeIdentity(self);
  const ids = new ContainerIds(tables);
  const files = new BodyFiles(layout);
  const commits = new CommitQueue(tables, ids, () => freeBytes(layout.directory), options.onSync);
  return {
    options,
    tables,
    index: layout.index,
    ids,
    commits,
    files,
    self,
    owner,
    pool: new BufferPool(options.readChunkBytes, POOL_KEEP_MAX),
    reservations: new Reservations(commits, owner),
    reaper: new Reaper(files, commits, options.unlinkDelayMs, () => isHeld(tables, self)),
    space: new SpaceGuard(layout.directory, options.reserveBytes),
  };
}

/** Lets go of all of it, when nothing is read or written any more. */
export async function closeDeps(deps: StoreDeps): Promise<void> {
  const { tables, commits, files, reservations, reaper } = deps;
  // A failure here (a full or broken disk) leaves its rows in the reclaim table, for recovery.
  await Promise.allSettled([reaper.finish(), reservations.release()]);
  await commits.idle();
  await files.close();
  // LMDB never lets go of an environment whose commit went wrong: that is left to the process's end.
  if (!commits.failed) await closeTables(tables);
}
