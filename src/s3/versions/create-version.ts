import { requireProbable } from './conditions.js';
import type {
  CallContext,
  DeletePrecondition,
  WritePrecondition,
  Metadata,
  ObjectRef,
} from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { S3Error } from '../errors.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { addEntry } from './add-entry.js';
import { uncancelled, type RemovedVersion } from './commit-written.js';
import type { VersionDeps } from './deps.js';
import { writeFirst } from './first-version.js';
import { type VersionedKey, requireArchivableKey, versionRef } from './names.js';
import type { VersionEntry } from './version-entry.js';

/** The facts about a written object that its operation tells. */
export type WrittenVersion = Pick<
  VersionEntry,
  'size' | 'etag' | 'lastModified' | 'storageClass' | 'checksumAlgorithm' | 'owner' | 'uploadId'
>;

interface NewEntry {
  /** While versioning is suspended: takes the place of the version `null`. */
  readonly nullVersion: boolean;
}

export interface NewDeleteMarker extends NewEntry {
  /**
   * The condition on the current version, checked in the instant in which the marker replaces it.
   */
  readonly condition?: DeletePrecondition | undefined;
  /** The owner of the marker; undefined for an owner of the account. */
  readonly owner?: string | undefined;
}

export interface NewVersion extends NewEntry {
  /**
   * The condition on the current version, checked in the instant in which the new one replaces it.
   */
  readonly condition?: WritePrecondition | undefined;
  /**
   * Writes the version, once, where it stays: with `putObject`, `copyObject` or `putManifest`. Called
   * once, unless {@link mayBeFirst}.
   * @param systemMetadata - to be stored with it, beside the operation's own
   * @returns undefined where the precondition does not hold
   */
  readonly write: (
    ref: ObjectRef,
    systemMetadata: Metadata,
    precondition?: WritePrecondition,
  ) => Promise<WrittenVersion | undefined>;
  /** A small version that can be written again, where a precondition did not hold, may be a first one. */
  readonly mayBeFirst?: boolean | undefined;
  /**
   * The version as far as it is known, for a write that uses up its source, such as the parts of an
   * upload. It is then written only if the index has room for it.
   */
  readonly unrepeatable?: Omit<WrittenVersion, 'lastModified'> | undefined;
}

export interface CreatedEntry {
  /** The S3 version id. */
  readonly versionId: string;
  /** The former version `null`, which has gone for good. */
  readonly removed: readonly RemovedVersion[];
}

export type CreatedVersion = CreatedEntry & Pick<VersionEntry, 'etag' | 'lastModified'>;

/** Writes a version, and makes it the current one of its key. */
export async function createVersion(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  version: NewVersion,
): Promise<CreatedVersion> {
  const { nullVersion, condition, write, unrepeatable } = version;
  requireArchivableKey(key.key, deps.backend.capabilities);
  if (condition !== undefined) await requireProbable(deps.backend, call, key, condition);
  await deps.archives.ensure(call, key);
  const name = deps.ids.mint();
  const versionId = nullVersion ? NULL_VERSION_ID : name;
  const identity = { id: versionId, name, kind: 'version' } as const;
  if (unrepeatable !== undefined) {
    const expected = { ...unrepeatable, lastModified: deps.now(), ...identity };
    await deps.commits.requireRoom(call, key, { add: [expected] });
  }
  const systemMetadata = { [SYSTEM_METADATA.versionId]: versionId };
  const isOrdinary = !nullVersion && condition === undefined && unrepeatable === undefined;
  if (isOrdinary && version.mayBeFirst === true) {
    const first = await inArchive(deps, call, key, () =>
      writeFirst(deps, call, key, name, (ref, absent) => write(ref, systemMetadata, absent)),
    );
    if (first !== undefined) return { versionId, removed: [], ...first };
  }
  const written = await inArchive(deps, call, key, () =>
    write(versionRef(key, name), systemMetadata),
  );
  if (written === undefined) throw new Error('a version was refused without a precondition');
  const entry: VersionEntry = { ...written, ...identity };
  // A version that cannot be written once more has to be committed, also in a full store.
  const writeClass = unrepeatable === undefined ? 'ordinary' : 'deletion';
  const options = { condition, writeClass } as const;
  const removed = await addEntry(deps, uncancelled(call), key, entry, options);
  const { etag, lastModified } = written;
  return { versionId, etag, lastModified, removed };
}

/**
 * DELETE of a key without a version id. Like in AWS, a key that never existed gets a marker too.
 */
export async function createDeleteMarker(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { nullVersion, condition, owner }: NewDeleteMarker,
): Promise<CreatedEntry> {
  requireArchivableKey(key.key, deps.backend.capabilities);
  const name = deps.ids.mint();
  const versionId = nullVersion ? NULL_VERSION_ID : name;
  const marker: VersionEntry = {
    id: versionId,
    name,
    kind: 'delete-marker',
    lastModified: deps.now(),
    size: 0,
    etag: '',
    owner,
  };
  const options = { condition, writeClass: 'marker' } as const;
  const removed = await addEntry(deps, uncancelled(call), key, marker, options);
  return { versionId, removed };
}

/** @throws S3Error `ServiceUnavailable` when the archive was there once, and is not any more */
async function inArchive<T>(
  { archives }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isCode(error, 'NoSuchContainer')) throw error;
    // The bucket was deleted, and perhaps made anew: what was sent cannot be sent again.
    archives.forget(key);
    await archives.ensure(call, key);
    throw new S3Error('ServiceUnavailable', undefined, {}, { cause: error });
  }
}
