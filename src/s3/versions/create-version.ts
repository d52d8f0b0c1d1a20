import type {
  CallContext,
  DeletePrecondition,
  Metadata,
  ObjectRef,
  WritePrecondition,
} from '../../backend/backend.js';
import { SYSTEM_METADATA } from '../object-attributes.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { S3Error } from '../s3-error.js';
import { addEntry } from './add-entry.js';
import { isCode } from './backend-codes.js';
import { requireProbable } from './current-condition.js';
import { requireArchivableKey, versionRef, type VersionedKey } from './names.js';
import { uncancelled, type RemovedVersion, type VersionParts } from './parts.js';
import type { VersionEntry } from './version-entry.js';

/** What an operation tells of the object that it has written. */
export type WrittenVersion = Pick<
  VersionEntry,
  'size' | 'etag' | 'lastModified' | 'storageClass' | 'checksumAlgorithm' | 'owner' | 'uploadId'
>;

interface NewEntry {
  /** While versioning is suspended: takes the place of the version `null`. */
  readonly nullVersion: boolean;
}

export interface NewDeleteMarker extends NewEntry {
  /** Of the current version, in the instant in which the marker takes its place. */
  readonly condition?: DeletePrecondition | undefined;
  /** Who writes it; undefined of an owner of the account. */
  readonly owner?: string | undefined;
}

export interface NewVersion extends NewEntry {
  /** Of the current version, in the instant in which the new one takes its place. */
  readonly condition?: WritePrecondition | undefined;
  /**
   * Writes the version, once, where it stays: with `putObject`, `copyObject` or `putManifest`. Called
   * once.
   * @param systemMetadata - to be stored with it, beside the operation's own
   */
  readonly write: (ref: ObjectRef, systemMetadata: Metadata) => Promise<WrittenVersion>;
  /**
   * Of what is used up by writing it, as the parts of an upload are: what the version will be, as far
   * as that is known. Then it is written only where the index has room for it.
   */
  readonly unrepeatable?: Omit<WrittenVersion, 'lastModified'> | undefined;
}

export interface CreatedEntry {
  /** The S3 version id. */
  readonly versionId: string;
  /** What has gone for good: the former version `null`. */
  readonly removed: readonly RemovedVersion[];
}

export type CreatedVersion = CreatedEntry & Pick<VersionEntry, 'etag' | 'lastModified'>;

/** Writes a version, and makes it the current one of its key. */
export async function createVersion(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  { nullVersion, condition, write, unrepeatable }: NewVersion,
): Promise<CreatedVersion> {
  requireArchivableKey(of.key, parts.backend.capabilities);
  if (condition !== undefined) await requireProbable(parts.backend, call, of, condition);
  await parts.archives.ensure(call, of);
  const name = parts.ids.mint();
  const versionId = nullVersion ? NULL_VERSION_ID : name;
  const identity = { id: versionId, name, kind: 'version' } as const;
  if (unrepeatable !== undefined) {
    const expected = { ...unrepeatable, lastModified: parts.now(), ...identity };
    await parts.commits.requireRoom(call, of, { add: [expected] });
  }
  const written = await inArchive(parts, call, of, () =>
    write(versionRef(of, name), { [SYSTEM_METADATA.versionId]: versionId }),
  );
  const entry: VersionEntry = { ...written, ...identity };
  // What cannot be written once more ends what it has begun, also in a full store.
  const writeClass = unrepeatable === undefined ? 'ordinary' : 'deletion';
  const options = { condition, writeClass } as const;
  const removed = await addEntry(parts, uncancelled(call), of, entry, options);
  const { etag, lastModified } = written;
  return { versionId, etag, lastModified, removed };
}

/** DELETE of a key without a version id. As in AWS, a key that never was gets a marker too. */
export async function createDeleteMarker(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  { nullVersion, condition, owner }: NewDeleteMarker,
): Promise<CreatedEntry> {
  requireArchivableKey(of.key, parts.backend.capabilities);
  const name = parts.ids.mint();
  const versionId = nullVersion ? NULL_VERSION_ID : name;
  const marker: VersionEntry = {
    id: versionId,
    name,
    kind: 'delete-marker',
    lastModified: parts.now(),
    size: 0,
    etag: '',
    owner,
  };
  const removed = await addEntry(parts, uncancelled(call), of, marker, { condition });
  return { versionId, removed };
}

/** @throws S3Error `ServiceUnavailable` when the archive was there once, and is not any more */
async function inArchive<T>(
  { archives }: VersionParts,
  call: CallContext,
  of: VersionedKey,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isCode(error, 'NoSuchContainer')) throw error;
    // The bucket was deleted, and perhaps made anew: what was sent cannot be sent again.
    archives.forget(of);
    await archives.ensure(call, of);
    throw new S3Error('ServiceUnavailable', undefined, {}, { cause: error });
  }
}
