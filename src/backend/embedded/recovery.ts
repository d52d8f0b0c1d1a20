import { BackendError } from '../errors.js';
import type { BodyFiles } from './body-files.js';
import type { CommitQueue } from './commit-queue.js';
import { isHeld } from './holds.js';
import { idOf } from './keys.js';
import { decodeIdentity, isAlive, type ProcessIdentity } from './process-identity.js';
import { removeBodies } from './reaper.js';
import { refresh, type Tables } from './tables.js';

/** The findings of {@link recover}. */
export interface RecoveryReport {
  /** Bodies of dead processes that were removed: uploads that never ended, or replaced bodies. */
  readonly bodiesReclaimed: number;
  /** Rows left alone because their process is alive. */
  readonly bodiesInUse: number;
  /** LMDB reader slots of dead processes that were cleared. */
  readonly readersCleared: number;
}

/** Rows looked at before others get their turn on the loop. */
const BATCH = 256;

/**
 * Finishes what dead processes left behind: every file that might belong to no object has a row in
 * the reclaim table, so their number, not the store's size, is what this costs. Safe while other
 * processes work: rows of the living are left alone, and a row once seen is on disk. On a full device
 * it ends early, and the rest waits for the next one: the store serves reads without. While a hold
 * keeps files, it does nothing with them.
 */
export async function recover(
  tables: Tables,
  files: BodyFiles,
  commits: Pick<CommitQueue, 'run'>,
  self: ProcessIdentity,
): Promise<RecoveryReport> {
  const readersCleared = tables.root.readerCheck();
  if (isHeld(tables, self)) {
    return { bodiesReclaimed: 0, bodiesInUse: tables.reclaim.getCount(), readersCleared };
  }
  const verdicts = new Map<string, boolean>();
  let bodiesReclaimed = 0;
  let bodiesInUse = 0;
  let start = Buffer.of(0);
  for (;;) {
    refresh(tables);
    const rows = [...tables.reclaim.getRange({ start, limit: BATCH })];
    const last = rows.at(-1);
    if (last === undefined) break;
    const dead = rows.filter(({ value }) => !ownerLives(value, self, verdicts));
    bodiesInUse += rows.length - dead.length;
    const bodyIds = dead.map(({ key }) => idOf(key));
    if (bodyIds.length > 0 && !(await fits(removeBodies(bodyIds, files, commits)))) break;
    bodiesReclaimed += bodyIds.length;
    start = Buffer.concat([last.key, Buffer.of(0)]);
  }
  return { bodiesReclaimed, bodiesInUse, readersCleared };
}

async function fits(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof BackendError && error.code === 'StorageFull') return false;
    throw error;
  }
}

function ownerLives(row: Buffer, self: ProcessIdentity, verdicts: Map<string, boolean>): boolean {
  const text = row.toString();
  const known = verdicts.get(text);
  if (known !== undefined) return known;
  const owner = decodeIdentity(row);
  const alive = owner !== undefined && isAlive(owner, self.bootId);
  verdicts.set(text, alive);
  return alive;
}
