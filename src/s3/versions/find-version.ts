import type { CallContext, ObjectHead, ObjectRef } from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { isNewNull, plainEntry, readCurrentState } from './current-state.js';
import type { VersionDeps } from './deps.js';
import { findEntry } from './index-changes.js';
import { currentRef, type VersionedKey, versionRef } from './names.js';
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
  const { index } = await commits.read(call, key);
  const entry = findEntry(index, id);
  if (standing?.kind === 'plain' && isNewNull(standing, index)) {
    return { entry: plainEntry(standing), ref: currentRef(key) };
  }
  return entry && { entry, ref: versionRef(key, entry.name) };
}

/** @returns undefined when it is not there */
export async function headVersion(
  { backend }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  entry: VersionEntry,
): Promise<ObjectHead | undefined> {
  try {
    const head = await backend.headObject(call, versionRef(key, entry.name), { newest: true });
    return withLocks(head, entry);
  } catch (error) {
    if (isCode(error, 'NoSuchObject', 'NoSuchContainer')) return undefined;
    throw error;
  }
}

/** A version's head as the index knows better: the object follows what is committed. */
function withLocks(head: ObjectHead, { locks }: VersionEntry): ObjectHead {
  if (locks === undefined) return head;
  const known = Object.entries({ ...head.systemMetadata, ...locks });
  const systemMetadata = Object.fromEntries(
    known.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  return { ...head, systemMetadata };
}
