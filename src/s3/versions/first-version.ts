import type { CallContext, ObjectRef, WritePrecondition } from '../../backend/backend.js';
import { settleNew } from './add-entry.js';
import { commitWritten, uncancelled } from './commit-written.js';
import type { VersionDeps } from './deps.js';
import { findEntry } from './index-changes.js';
import { indexRef, type VersionedKey } from './names.js';
import { syncCurrent } from './sync-current.js';
import type { VersionEntry, VersionIndex } from './version-entry.js';

/** Versions in the place of their key's index: see first-index.ts. */

/**
 * A larger one has an index of its own: who reads that reads the version as well, and the third object is
 * a smaller part of the price.
 */
export const FIRST_BYTES_MAX = 16_384;

type Written = Omit<VersionEntry, 'id' | 'name' | 'kind'>;

/**
 * Writes an ordinary version as the first one of its key, where that is likely to be new.
 * @param name - of its entry, and its id
 * @returns undefined where nothing was written: the version goes the way of all others
 * @throws as settle; BackendError
 */
export async function writeFirst(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  name: string,
  write: (ref: ObjectRef, precondition: WritePrecondition) => Promise<Written | undefined>,
): Promise<Pick<VersionEntry, 'etag' | 'lastModified'> | undefined> {
  if (!isLikelyNew(deps, key)) return undefined;
  const written = await write(indexRef(key), { absent: true });
  deps.guesses.note(key, written !== undefined);
  const stored =
    written === undefined
      ? await deps.store.readIndex(call, key)
      : deps.store.wroteFirst(key, { ...written, id: name, name, kind: 'version' });
  const own = findEntry(stored.index, name);
  // Something is there: it may be our own, of a write that was answered wrongly.
  if (own === undefined) return undefined;
  const { etag, lastModified } = own;
  const options = written === undefined ? {} : ({ expected: { kind: 'nothing' } } as const);
  await deps.queues.run(key, () =>
    settleNew(deps, uncancelled(call), key, stored, [name], options),
  );
  return { etag, lastModified };
}

/** A key is likely new where neither an index nor an object is known there, or expected. */
function isLikelyNew(
  { backend, store, guesses, plainSightings }: VersionDeps,
  key: VersionedKey,
): boolean {
  const { fixedLinks, orderedCreations, conditionalReplace } = backend.capabilities;
  if (fixedLinks !== true || orderedCreations !== true || conditionalReplace) return false;
  const known = store.recall(key);
  const isNew = known === undefined ? guesses.isNew(key) : known.etag === undefined;
  return isNew && plainSightings.areUnlikely(key);
}

/** Moves a first version to its own name, where it can be changed. */
export async function moveFirst(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
): Promise<void> {
  if (deps.backend.capabilities.conditionalReplace) return;
  const work = uncancelled(call);
  await deps.queues.run(key, async () => {
    const read = await deps.commits.read(work, key);
    const plan = ({ generation }: VersionIndex) => (generation === 1 ? {} : undefined);
    const { stored } =
      read.body === undefined
        ? { stored: read }
        : await commitWritten(deps, work, key, new Set(), plan);
    await syncCurrent(deps, work, key, stored);
  });
}
