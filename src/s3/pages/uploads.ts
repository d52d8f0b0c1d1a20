import type { Metadata, ObjectPage, ObjectQuery } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import { listedOwner, SYSTEM_METADATA } from '../object/attributes.js';
import { UPLOAD_ACL_METADATA } from '../rules/acl/stored.js';
import type {
  ListMultipartUploadsQuery,
  ListPartsQuery,
} from '../rules/multipart-listing-query.js';
import { DEFAULT_STORAGE_CLASS } from '../rules/storage-class.js';
import { decodeUploadChecksum } from '../rules/upload-checksum.js';
import { segmentsContainer, type Upload } from '../segments/names.js';
import { nameOf, readOpenUploads, type OpenUpload } from '../segments/open-uploads.js';
import { readParts } from '../segments/parts.js';
import type { Document } from '../xml/document-bytes.js';
import {
  renderListMultipartUploadsResult,
  type ListedUpload,
} from '../xml/list-multipart-uploads-result.js';
import { renderListPartsResult } from '../xml/list-parts-result.js';
import { userOwner, type Owner } from '../xml/owner.js';
import type { ListedBucket, PageSource } from './page-source.js';

/** The pages of open uploads, and of the parts of one of them. */

export interface UploadsPageOf extends ListedBucket {
  readonly query: ListMultipartUploadsQuery;
  readonly owner: Owner;
}

/** ListMultipartUploads. The caller has found the bucket. @throws BackendError */
export async function renderUploads(source: PageSource, page: UploadsPageOf): Promise<Document> {
  const { account, bucket, query, owner } = page;
  const { entries, next } = await readOpenUploads(
    (asked) => listSegments(source, { account, bucket }, asked),
    query,
  );
  // AWS names the last entry also where no other follows.
  const last = entries.at(-1);
  return renderListMultipartUploadsResult({
    bucket,
    query,
    uploads: entries.flatMap((entry) =>
      entry.kind === 'upload' ? [listedUpload(entry, owner)] : [],
    ),
    commonPrefixes: entries.flatMap((entry) => (entry.kind === 'prefix' ? [entry.prefix] : [])),
    truncated: next !== undefined,
    nextKeyMarker: next?.keyMarker ?? (last === undefined ? '' : nameOf(last)),
    nextUploadIdMarker: next?.uploadIdMarker ?? (last?.kind === 'upload' ? last.uploadId : ''),
  });
}

const NOTHING: ObjectPage = { entries: [], truncated: false };

/** The companion container comes with the first upload. */
async function listSegments(
  { backend, call }: PageSource,
  { account, bucket }: ListedBucket,
  query: ObjectQuery,
): Promise<ObjectPage> {
  try {
    return await backend.listObjects(call, segmentsContainer(account, bucket), query);
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchContainer') return NOTHING;
    throw error;
  }
}

function listedUpload({ key, uploadId, marker }: OpenUpload, accountOwner: Owner): ListedUpload {
  const { attributes, lastModified } = marker;
  const whose = ownerOfUpload(attributes, accountOwner);
  const checksum = decodeUploadChecksum(attributes[SYSTEM_METADATA.uploadChecksum]);
  return {
    key,
    uploadId,
    owner: whose,
    initiator: initiatorOf(attributes, whose),
    storageClass: attributes[SYSTEM_METADATA.storageClass] ?? DEFAULT_STORAGE_CLASS,
    initiated: lastModified,
    checksumAlgorithm: checksum?.algorithm,
    checksumType: checksum?.type,
  };
}

/**
 * The owner of the object to be: from its ACL, or the user who began the upload.
 *
 * @param attributes - system metadata of the upload's marker, or the part of it in listings
 * @param accountOwner - the owner of an upload without that metadata, which Swift's s3api began
 */
function ownerOfUpload(attributes: Metadata, accountOwner: Owner): Owner {
  const id = listedOwner(attributes[UPLOAD_ACL_METADATA]);
  return id === undefined ? initiatorOf(attributes, accountOwner) : userOwner(id);
}

/** Uploads that Swift's s3api began do not say who it was. */
function initiatorOf(attributes: Metadata, owner: Owner): Owner {
  const id = attributes[SYSTEM_METADATA.initiator];
  return id === undefined ? owner : userOwner(id);
}

export interface PartsPageOf {
  readonly upload: Upload;
  readonly query: ListPartsQuery;
  /** The owner of an upload whose metadata names none. */
  readonly owner: Owner;
  /** The system metadata of the upload's marker. */
  readonly systemMetadata: Metadata;
}

/** ListParts, of an open upload: in the order of their numbers. @throws BackendError */
export async function renderParts(
  { backend, call }: PageSource,
  { upload, query, owner, systemMetadata }: PartsPageOf,
): Promise<Document> {
  const all = await readParts(backend, call, upload);
  const following = all.filter(({ partNumber }) => partNumber > query.partNumberMarker);
  const parts = following.slice(0, query.maxParts);
  const checksum = decodeUploadChecksum(systemMetadata[SYSTEM_METADATA.uploadChecksum]);
  const whose = ownerOfUpload(systemMetadata, owner);
  return renderListPartsResult({
    bucket: upload.bucket,
    key: upload.key,
    query,
    owner: whose,
    initiator: initiatorOf(systemMetadata, whose),
    storageClass: systemMetadata[SYSTEM_METADATA.storageClass] ?? DEFAULT_STORAGE_CLASS,
    checksumAlgorithm: checksum?.algorithm,
    checksumType: checksum?.type,
    parts,
    // Without room for any part there is no marker to go on from.
    truncated: parts.length > 0 && parts.length < following.length,
  });
}
