import type { CopyInput, Metadata, ObjectHead } from '../../../backend/backend.js';
import {
  checksumType,
  ownerAttribute,
  readStoredChecksum,
  SYSTEM_METADATA,
  type StoredChecksum,
} from '../../object-attributes.js';
import type { RequestContext } from '../../operation.js';
import { ACL_METADATA } from '../../rules/acl/stored.js';
import type { CopyDirectives } from '../../rules/copy-directives.js';
import { readMetadataHeaders, type DescribedObject } from '../../rules/metadata-headers.js';
import { parseStorageClass } from '../../rules/storage-class.js';
import { S3Error } from '../../s3-error.js';
import { requestedObjectAcl } from '../stored-acl.js';
import { storageClassAttributes, taggingAttributes } from './requested-attributes.js';

/** What a request says of the copy that it asks for; the rest is the source's. */
export interface RequestedCopy {
  /** Undefined: as the source. */
  readonly described: DescribedObject | undefined;
  readonly keepsTags: boolean;
  /** Undefined without tags, and where those of the source are kept. */
  readonly tagging: Metadata | undefined;
  readonly storageClass: Metadata | undefined;
  readonly acl: Metadata | undefined;
  /** Algorithm of the checksum that the copy is to have. */
  readonly checksumAlgorithm: string | undefined;
}

/** @throws S3Error for headers that cannot be, before the source is looked at */
export async function readRequestedCopy(
  context: RequestContext,
  directives: CopyDirectives,
): Promise<RequestedCopy> {
  const { headers, services } = context;
  const keepsTags = directives.tagging === 'COPY';
  const storageClass = parseStorageClass(headers, services.settings.storageClasses);
  return {
    described: directives.metadata === 'COPY' ? undefined : readMetadataHeaders(headers),
    keepsTags,
    tagging: keepsTags ? undefined : taggingAttributes(headers),
    storageClass: storageClassAttributes(storageClass),
    acl: await requestedObjectAcl(context),
    checksumAlgorithm: headers.get('x-amz-checksum-algorithm')?.toUpperCase(),
  };
}

/**
 * The checksum goes with the bytes. One that was made of the checksums of parts says nothing of an
 * object without parts, which a copy always is.
 *
 * @throws S3Error `NotImplemented` when another is asked for: to compute it, the bytes would have
 *   to pass through here
 */
export function copiedChecksum(
  { checksumAlgorithm }: RequestedCopy,
  { systemMetadata }: ObjectHead,
): StoredChecksum | undefined {
  const stored = readStoredChecksum(systemMetadata[SYSTEM_METADATA.checksum]);
  const isWhole = stored !== undefined && checksumType(stored.value) === 'FULL_OBJECT';
  const checksum = isWhole ? stored : undefined;
  if (checksumAlgorithm === undefined || checksumAlgorithm === checksum?.algorithm) return checksum;
  throw new S3Error(
    'NotImplemented',
    'A copy has the checksum of its source; another one is not computed.',
    { Header: 'x-amz-checksum-algorithm' },
  );
}

/**
 * What the store is to make of a source. Everything is said, so that body and attributes are of one
 * version of it. Of its system metadata only what belongs to any object is taken over: an ACL, for
 * one, is not.
 *
 * @param checksum - what {@link copiedChecksum} gave
 */
export function copyInputOf(
  { described, keepsTags, tagging, storageClass, acl }: RequestedCopy,
  head: ObjectHead,
  checksum: StoredChecksum | undefined,
): CopyInput {
  const { contentType, headers, metadata } = described ?? head;
  const { systemMetadata } = head;
  const tags = keepsTags ? pick(systemMetadata, SYSTEM_METADATA.tagging) : tagging;
  const sum = checksum && pick(systemMetadata, SYSTEM_METADATA.checksum);
  const listedSum = checksum && { [SYSTEM_METADATA.checksumAlgorithm]: checksum.algorithm };
  return {
    contentType,
    headers,
    metadata,
    systemMetadata: { ...acl, ...storageClass, ...tags, ...sum },
    listingAttributes: { ...storageClass, ...listedSum, ...ownerAttribute(acl?.[ACL_METADATA]) },
    sourceEtag: head.etag,
  };
}

function pick(metadata: Metadata, name: string): Metadata | undefined {
  const value = metadata[name];
  return value === undefined ? undefined : { [name]: value };
}
