import type { Metadata, ObjectHead } from '../../backend/backend.js';
import type { ChecksumAlgorithm } from '../../digest/checksum.js';
import type { Acl } from '../rules/acl/acl.js';
import { ACL_METADATA, decodeAcl } from '../rules/acl/stored.js';
import type { ChecksumType } from '../xml/checksum-elements.js';

/**
 * Names under which the gateway keeps its own data in an object's system metadata, and in the
 * attributes of its listing entry.
 */
export const SYSTEM_METADATA = {
  /** Absent for STANDARD. */
  storageClass: 's3-storage-class',
  /** The due-cold stamp: src/s3/rules/cold/state.ts. In listing entries `archived` or `absent`. */
  cold: 's3-cold',
  /** `ALGORITHM:base64`, of the checksum that the writer sent; a composite one ends with `-N`. */
  checksum: 's3-checksum',
  /** Absent without tags; of buckets too. */
  tagging: 's3-tagging',
  /** The upload that an object's parts are from. The name is that of Swift's s3api. */
  uploadId: 's3api-upload-id',
  /** The checksum that the object of an open upload will have: `ALGORITHM:TYPE`. */
  uploadChecksum: 's3-upload-checksum',
  /** The id of the user who began an open upload. */
  initiator: 's3-initiator',
  /** Set on a version that makes way for its upload: see multipart/reopen-upload.ts. */
  reopening: 's3-reopening',
  /**
   * The version id of an object in an archive of versions, and of the listing entry of a link to
   * it.
   */
  versionId: 's3-version-id',
  /**
   * The time for both, in milliseconds since the epoch, where the store's own is newer because the
   * object was adopted.
   */
  lastModified: 's3-last-modified',
  /** Listing entries only. */
  checksumAlgorithm: 's3-checksum-algorithm',
  /** Listing entries only, of what has an ACL of its own: who its owner is by that. */
  owner: 's3-owner',
} as const;

/** The tags as they are stored; empty without any. */
export function storedTags({ systemMetadata }: ObjectHead): string {
  return systemMetadata[SYSTEM_METADATA.tagging] ?? '';
}

/**
 * A head as S3 shows it: an object that became a version later has kept its LastModified, which the
 * store cannot set.
 */
export function withVersionTime(head: ObjectHead): ObjectHead {
  const kept = head.systemMetadata[SYSTEM_METADATA.lastModified];
  return kept === undefined ? head : { ...head, lastModified: Number(kept) };
}

/** Listing attributes are 256 bytes in all. */
const LISTED_OWNER_BYTES_MAX = 96;

/**
 * The owner that listings are to show of an object with this ACL; undefined where they show the
 * account's, without an ACL, and for an id that is too long for a listing.
 *
 * @param storedAcl - as system metadata has it
 */
export function listedOwner(storedAcl: string | undefined): string | undefined {
  const owner = decodableAcl(storedAcl)?.owner;
  if (owner === undefined || Buffer.byteLength(owner) > LISTED_OWNER_BYTES_MAX) return undefined;
  return owner;
}

/** The same as a listing attribute. */
export function ownerAttribute(storedAcl: string | undefined): Metadata | undefined {
  const owner = listedOwner(storedAcl);
  return owner === undefined ? undefined : { [SYSTEM_METADATA.owner]: owner };
}

/**
 * The ACL, or undefined if it is damaged. A damaged ACL grants nothing, but must not prevent
 * listing or keeping its object.
 */
function decodableAcl(storedAcl: string | undefined): Acl | undefined {
  try {
    return decodeAcl(storedAcl);
  } catch {
    return undefined;
  }
}

/** A checksum as it is stored: of an object or of a part of an upload. */
export interface StoredChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64; of a composite one with `-N`. */
  readonly value: string;
}

export function writeStoredChecksum({ algorithm, value }: StoredChecksum): string {
  return `${algorithm}:${value}`;
}

/** @returns undefined when there is none */
export function readStoredChecksum(stored: string | undefined): StoredChecksum | undefined {
  const colon = stored?.indexOf(':') ?? -1;
  if (stored === undefined || colon === -1) return undefined;
  return { algorithm: stored.slice(0, colon) as ChecksumAlgorithm, value: stored.slice(colon + 1) };
}

/** A composite checksum, of the checksums of an object's parts, says so by its `-N`. */
export function checksumType(value: string): ChecksumType {
  return value.includes('-') ? 'COMPOSITE' : 'FULL_OBJECT';
}

/** The response headers of a checksum; `value` is base64. */
export function checksumHeaders(algorithm: string, value: string): [string, string][] {
  return [
    [`x-amz-checksum-${algorithm.toLowerCase()}`, value],
    ['x-amz-checksum-type', checksumType(value)],
  ];
}

/** The same, from what is stored; empty when the writer sent none. */
export function storedChecksumHeaders(systemMetadata: Metadata): [string, string][] {
  const stored = readStoredChecksum(systemMetadata[SYSTEM_METADATA.checksum]);
  return stored === undefined ? [] : checksumHeaders(stored.algorithm, stored.value);
}

/** A head does not tell the attributes that a listing shows; these are all there are. */
export function listedAttributes(systemMetadata: Metadata): Metadata {
  const storageClass = systemMetadata[SYSTEM_METADATA.storageClass];
  const uploadId = systemMetadata[SYSTEM_METADATA.uploadId];
  const checksum = readStoredChecksum(systemMetadata[SYSTEM_METADATA.checksum]);
  return {
    ...(storageClass === undefined ? {} : { [SYSTEM_METADATA.storageClass]: storageClass }),
    ...(uploadId === undefined ? {} : { [SYSTEM_METADATA.uploadId]: uploadId }),
    ...(checksum === undefined ? {} : { [SYSTEM_METADATA.checksumAlgorithm]: checksum.algorithm }),
    ...ownerAttribute(systemMetadata[ACL_METADATA]),
  };
}
