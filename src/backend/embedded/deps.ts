import type { BodyFiles } from './body-files.js';
import type { BufferPool } from '../../lib/buffers/buffer-pool.js';
import type { CommitQueue } from './commit-queue.js';
import type { ContainerIds } from './container-ids.js';
import type { FilledOptions } from './options.js';
import type { ProcessIdentity } from './process-identity.js';
import type { Reaper } from './reaper.js';
import type { Reservations } from './reservations.js';
import type { SpaceGuard } from './space-guard.js';
import type { Tables } from './tables.js';

/** The parts of an open store. */
export interface StoreDeps {
  readonly options: FilledOptions;
  readonly tables: Tables;
  /** Path of the index. */
  readonly index: string;
  readonly ids: ContainerIds;
  readonly commits: CommitQueue;
  readonly files: BodyFiles;
  readonly pool: BufferPool;
  readonly reservations: Reservations;
  readonly reaper: Reaper;
  readonly space: SpaceGuard;
  readonly self: ProcessIdentity;
  /** `self` as it stands in rows of the reclaim table. */
  readonly owner: Buffer;
}
