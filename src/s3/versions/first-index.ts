import type { ObjectHead, ObjectRef, PutObjectInput } from '../../backend/backend.js';
import { listedAttributes, SYSTEM_METADATA } from '../object/attributes.js';
import { entryOfObject } from './current-state.js';
import { isIndexRef } from './names.js';
import type { VersionEntry, VersionIndex } from './version-entry.js';

/**
 * The first version of a key lies in the place of its index, where the store has fixed links, and is
 * the index of generation 1 as well: so a new key takes two objects, and not three. Its metadata say
 * all that such an index has, and its name is that of the commit.
 *
 *     PUT  index.json = version 1 (only if absent) ──▶ link, fixed to its ETag
 *     next fence 2 ──▶ link ──▶ version 1 is copied to its name ──▶ index.json = index 2
 *
 * Nothing changes it there: who has a change to make commits first, which moves it.
 */

/** The entry of a first version that lies in the place of the index; undefined of an index. */
export function firstVersionOf(head: ObjectHead): VersionEntry | undefined {
  const name = head.systemMetadata[SYSTEM_METADATA.versionId];
  if (name === undefined) return undefined;
  const { etag, lastModified } = head;
  return entryOfObject({ id: name, name, etag, lastModified }, head);
}

/** A version that was found in the place of the index may have left it since. */
export function hasMoved(ref: ObjectRef, head: ObjectHead, versionId: string): boolean {
  return isIndexRef(ref) && firstVersionOf(head)?.id !== versionId;
}

/** The index that it stands for. */
export function firstIndex(entry: VersionEntry): VersionIndex {
  return { generation: 1, commit: entry.name, recent: [], removed: [], entries: [entry] };
}

/** The description of an object, to be stored with it elsewhere. */
export function describedAs({
  contentType,
  headers,
  metadata,
  systemMetadata,
}: ObjectHead): Omit<PutObjectInput, 'size' | 'body'> {
  const listingAttributes = listedAttributes(systemMetadata);
  return { contentType, headers, metadata, systemMetadata, listingAttributes };
}
