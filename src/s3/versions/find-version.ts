import type { CallContext, ObjectRef } from '../../backend/backend.js';
import { listedOwner, readStoredChecksum, SYSTEM_METADATA } from '../object-attributes.js';
import { ACL_METADATA } from '../rules/acl/stored.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { findEntry } from './index-changes.js';
import { currentRef, versionRef, type VersionedKey } from './names.js';
import type { VersionParts } from './parts.js';
import { settle } from './settle.js';
import { entryFor, look, type PlainObject } from './standing.js';
import type { VersionEntry } from './version-entry.js';

export interface FoundVersion {
  readonly entry: VersionEntry;
  /** Where it lies; of a delete marker nothing does. */
  readonly ref: ObjectRef;
}

/** By the index, always: an object of the archive that it does not name is not there. SPEC.md 3.1 */
export async function findVersion(
  { backend, commits }: VersionParts,
  call: CallContext,
  of: VersionedKey,
  id: string,
): Promise<FoundVersion | undefined> {
  const { index } = await commits.read(call, of);
  if (id === NULL_VERSION_ID) {
    const standing = await look(backend, call, of);
    if (standing.kind === 'plain' && entryFor(standing, index) === undefined) {
      return { entry: plainEntry(standing), ref: currentRef(of) };
    }
  }
  const entry = findEntry(index, id);
  return entry && { entry, ref: versionRef(of, entry.name) };
}

export async function currentEntry(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
): Promise<VersionEntry | undefined> {
  const stored = await parts.commits.read(call, of);
  const [current] = stored.index.entries;
  if (current?.kind === 'version') await settle(parts, call, of, stored);
  return current;
}

export async function repairLink(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
): Promise<void> {
  const stored = await parts.commits.read(call, of);
  if (stored.etag !== undefined) await settle(parts, call, of, stored);
}

/** The entry that a plain object would have: it is the version `null`. */
export function plainEntry({ head, etag, lastModified }: PlainObject): VersionEntry {
  const { size, systemMetadata } = head;
  return {
    id: NULL_VERSION_ID,
    name: '',
    kind: 'version',
    lastModified,
    size,
    etag,
    storageClass: systemMetadata[SYSTEM_METADATA.storageClass],
    checksumAlgorithm: readStoredChecksum(systemMetadata[SYSTEM_METADATA.checksum])?.algorithm,
    owner: listedOwner(systemMetadata[ACL_METADATA]),
    uploadId: systemMetadata[SYSTEM_METADATA.uploadId],
  };
}
