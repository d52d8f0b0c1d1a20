import type { Metadata, ObjectHead } from '../../backend/backend.js';
import { ownerAttribute, SYSTEM_METADATA, writeStoredChecksum } from '../object/attributes.js';
import { type ObjectAttributes } from '../object/store-object.js';
import { ACL_METADATA, UPLOAD_ACL_METADATA } from '../rules/acl/stored.js';
import { DEFAULT_CONTENT_TYPE } from '../rules/metadata-headers.js';
import type { ResultChecksum } from '../xml/checksum-elements.js';

/**
 * Uploads that Swift's s3api began: their markers are `application/directory` all of them, and the
 * type that the object is to have is here. `no` says that the client named none.
 */
const S3API = {
  hasContentType: 's3api-has-content-type',
  contentType: 's3api-content-type',
} as const;

/** The metadata of the upload, which its object does not get. */
const OF_UPLOAD: ReadonlySet<string> = new Set([
  ...Object.values(S3API),
  SYSTEM_METADATA.uploadChecksum,
  SYSTEM_METADATA.initiator,
  UPLOAD_ACL_METADATA,
]);

/** The metadata of a marker that its object does not get, without the type: the object has it. */
export function metadataOfUpload(marker: Metadata): Metadata {
  const s3api = new Set<string>(Object.values(S3API));
  return Object.fromEntries(
    Object.entries(marker).filter(([name]) => OF_UPLOAD.has(name) && !s3api.has(name)),
  );
}

/** The type of the object that an upload becomes. @param marker of the upload */
export function contentTypeOf({ contentType, systemMetadata }: ObjectHead): string {
  const named = systemMetadata[S3API.hasContentType];
  if (named === undefined) return contentType;
  return (named === 'yes' ? systemMetadata[S3API.contentType] : undefined) ?? DEFAULT_CONTENT_TYPE;
}

/** @param upload the system metadata of the upload's marker */
export function objectAttributes(
  uploadId: string,
  upload: Metadata,
  checksum: ResultChecksum | undefined,
): ObjectAttributes {
  const kept = Object.entries(upload).filter(([name]) => !OF_UPLOAD.has(name));
  const acl = upload[UPLOAD_ACL_METADATA];
  const storageClass = upload[SYSTEM_METADATA.storageClass];
  return {
    systemMetadata: {
      ...Object.fromEntries(kept),
      [SYSTEM_METADATA.uploadId]: uploadId,
      ...(acl === undefined ? {} : { [ACL_METADATA]: acl }),
      ...(checksum === undefined
        ? {}
        : { [SYSTEM_METADATA.checksum]: writeStoredChecksum(checksum) }),
    },
    listingAttributes: {
      // Tells which versions the parts belong to without looking at each: segments/parts.ts.
      [SYSTEM_METADATA.uploadId]: uploadId,
      ...(storageClass === undefined ? {} : { [SYSTEM_METADATA.storageClass]: storageClass }),
      ...(checksum === undefined
        ? {}
        : { [SYSTEM_METADATA.checksumAlgorithm]: checksum.algorithm }),
      ...ownerAttribute(acl),
    },
  };
}
