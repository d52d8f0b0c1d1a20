import type { CallContext, ObjectHead, ObjectRef } from '../../backend/backend.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { isNewNull, plainEntry, readCurrentState } from './current-state.js';
import type { VersionDeps } from './deps.js';
import { findEntry } from './index-changes.js';
import { firstVersionOf } from './first-index.js';
import { refOf } from './index-store.js';
import { currentRef, indexRef, type VersionedKey, versionRef } from './names.js';
import { headNewest } from './read-document.js';
import type { VersionEntry } from './version-entry.js';

export interface FoundVersion {
  readonly entry: VersionEntry;
  /** The place of the version; a delete marker has none. */
  readonly ref: ObjectRef;
}

/**
 * Always decides by the index: an object of the archive that the index does not name does not
 * exist. SPEC.md 3.1
 */
export async function findVersion(
  { backend, commits }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  id: string,
): Promise<FoundVersion | undefined> {
  // The key is looked at first: an object that moves from there into the archive is found in one of
  // the two.
  const standing = id === NULL_VERSION_ID ? await readCurrentState(backend, call, key) : undefined;
  const stored = await commits.read(call, key);
  const { index } = stored;
  const entry = findEntry(index, id);
  if (standing?.kind === 'plain' && isNewNull(standing, index)) {
    return { entry: plainEntry(standing), ref: currentRef(key) };
  }
  return entry && { entry, ref: refOf(key, entry, stored) };
}

/**
 * A first version may lie in the place of the index until others come.
 * @returns undefined when it is not there
 */
export async function headVersion(
  { backend }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  entry: Pick<VersionEntry, 'name' | 'locks'>,
): Promise<ObjectHead | undefined> {
  const ref = versionRef(key, entry.name);
  let head = await headNewest(backend, call, ref);
  if (head === undefined) {
    const first = await headNewest(backend, call, indexRef(key));
    const isHere = first !== undefined && firstVersionOf(first)?.name === entry.name;
    head = isHere ? first : await headNewest(backend, call, ref);
  }
  return head && withLocks(head, entry);
}

/** A version's head as the index knows better: the object follows what is committed. */
function withLocks(head: ObjectHead, { locks }: Pick<VersionEntry, 'locks'>): ObjectHead {
  if (locks === undefined) return head;
  const known = Object.entries({ ...head.systemMetadata, ...locks });
  const systemMetadata = Object.fromEntries(
    known.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  return { ...head, systemMetadata };
}
