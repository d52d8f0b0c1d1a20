import { randomUUID } from 'node:crypto';
import type { StoreDeps } from './deps.js';
import { decodeIdentity, isAlive, type ProcessIdentity } from './process-identity.js';
import { refresh, type Tables } from './tables.js';

/**
 * A hold keeps the files of replaced and deleted bodies, in all processes, while a process reads one
 * state of the whole store: a snapshot of the index alone would name files that are unlinked
 * meanwhile. It is a row of the table `meta` that names its process, so it ends with that.
 *
 * A process that unlinks asks for holds first, and unlinks bodies alone that were dropped before it asked. So a
 * snapshot that begins after the hold is on disk names none of them.
 */
const PREFIX = 'hold-';
const ROWS = { start: Buffer.from(PREFIX), end: Buffer.from('hold.') };

/** Whether files have to stay, as last committed by any process. */
export function isHeld(tables: Tables, self: ProcessIdentity): boolean {
  refresh(tables);
  return [...tables.meta.getRange(ROWS)].some(({ value }) => isOfLiving(value, self));
}

/**
 * Takes a hold; it is on disk when this resolves.
 * @returns ends it
 * @throws BackendError as a commit
 */
export async function takeHold({
  commits,
  owner,
  self,
}: Pick<StoreDeps, 'commits' | 'owner' | 'self'>): Promise<() => Promise<void>> {
  const key = Buffer.from(`${PREFIX}${randomUUID()}`);
  await commits.run(({ tables: { meta } }) => {
    const rows = [...meta.getRange(ROWS)];
    for (const row of rows) if (!isOfLiving(row.value, self)) void meta.remove(row.key);
    void meta.put(key, owner);
  });
  return () =>
    commits.run(({ tables: { meta } }) => {
      void meta.remove(key);
    });
}

function isOfLiving(row: Buffer, self: ProcessIdentity): boolean {
  const owner = decodeIdentity(row);
  return owner !== undefined && isAlive(owner, self.bootId);
}
