import type { Metadata } from '../backend/backend.js';

/**
 * Names under which the gateway keeps its own data in an object's system metadata, and in the
 * attributes of its listing entry.
 */
export const SYSTEM_METADATA = {
  /** Absent for STANDARD. */
  storageClass: 's3-storage-class',
  /** `ALGORITHM:base64`, of the checksum that the writer sent. */
  checksum: 's3-checksum',
  /** Absent without tags; of buckets too. */
  tagging: 's3-tagging',
  /** Listing entries only. */
  checksumAlgorithm: 's3-checksum-algorithm',
} as const;

/** Of a whole object, as opposed to the checksum of a multipart object's part checksums. */
const CHECKSUM_TYPE = 'FULL_OBJECT';

/** The response headers of a checksum; `value` is base64. */
export function checksumHeaders(algorithm: string, value: string): [string, string][] {
  return [
    [`x-amz-checksum-${algorithm.toLowerCase()}`, value],
    ['x-amz-checksum-type', CHECKSUM_TYPE],
  ];
}

/** The same, from what is stored; empty when the writer sent none. */
export function storedChecksumHeaders(systemMetadata: Metadata): [string, string][] {
  const stored = systemMetadata[SYSTEM_METADATA.checksum];
  const colon = stored?.indexOf(':') ?? -1;
  if (stored === undefined || colon === -1) return [];
  return checksumHeaders(stored.slice(0, colon), stored.slice(colon + 1));
}
