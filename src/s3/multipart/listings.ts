import type { Metadata, ObjectPage, ObjectQuery } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import { abortDateOfUpload } from '../bucket/lifecycles.js';
import { listedOwner, SYSTEM_METADATA } from '../object/attributes.js';
import {
  type RequestContext,
  type S3Response,
  ownerOf,
  xmlResponse,
  containerOf,
} from '../operation.js';
import { UPLOAD_ACL_METADATA } from '../rules/acl/stored.js';
import {
  parseListPartsQuery,
  parseListMultipartUploadsQuery,
} from '../rules/multipart-listing-query.js';
import { effectiveDelimiter } from '../rules/query-parameters.js';
import { DEFAULT_STORAGE_CLASS } from '../rules/storage-class.js';
import { decodeUploadChecksum } from '../rules/upload-checksum.js';
import { segmentsContainer } from '../segments/names.js';
import { readOpenUploads, type OpenUpload } from '../segments/open-uploads.js';
import { readParts } from '../segments/parts.js';
import {
  renderListMultipartUploadsResult,
  type ListedUpload,
} from '../xml/list-multipart-uploads-result.js';
import { renderListPartsResult } from '../xml/list-parts-result.js';
import { userOwner, type Owner } from '../xml/owner.js';
import { requireOpenUpload, uploadOf } from './upload.js';

/** ListParts: in the order of their numbers. */
export async function listParts(context: RequestContext): Promise<S3Response> {
  const query = parseListPartsQuery(context.endpoint.query);
  const upload = uploadOf(context);
  const { systemMetadata, lastModified } = await requireOpenUpload(context, upload);
  const all = await readParts(context.services.backend, context.call, upload);
  const following = all.filter(({ partNumber }) => partNumber > query.partNumberMarker);
  const parts = following.slice(0, query.maxParts);
  const checksum = decodeUploadChecksum(systemMetadata[SYSTEM_METADATA.uploadChecksum]);
  const whose = ownerOfUpload(systemMetadata, ownerOf(context));
  const response = xmlResponse(
    renderListPartsResult({
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
    }),
  );
  const abortDate = await abortDateOfUpload(context, lastModified);
  return { ...response, headers: [...response.headers, ...abortDate] };
}

/**
 * Who is to own the object: by its ACL, or who began the upload.
 *
 * @param attributes - system metadata of the upload's marker, or of that what listings show
 * @param accountOwner - of an upload that says nothing of it: Swift's s3api began it
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

/**
 * ListMultipartUploads: in the order of keys, those of one key in the order of their beginning. A
 * page may have fewer uploads than asked for, also none, and still be followed by another.
 */
export async function listMultipartUploads(context: RequestContext): Promise<S3Response> {
  const query = parseListMultipartUploadsQuery(context.endpoint.query);
  await context.containerHead();
  const { entries, next } = await readOpenUploads((page) => listSegments(context, page), {
    ...query,
    delimiter: effectiveDelimiter(query.delimiter),
  });
  const owner = ownerOf(context);
  return xmlResponse(
    renderListMultipartUploadsResult({
      bucket: context.endpoint.bucket,
      query,
      uploads: entries.flatMap((entry) =>
        entry.kind === 'upload' ? [listedUpload(entry, owner)] : [],
      ),
      commonPrefixes: entries.flatMap((entry) => (entry.kind === 'prefix' ? [entry.prefix] : [])),
      truncated: next !== undefined,
      nextKeyMarker: next?.keyMarker,
      nextUploadIdMarker: next?.uploadIdMarker,
    }),
  );
}

const NOTHING: ObjectPage = { entries: [], truncated: false };

/** The companion container comes with the first upload. */
async function listSegments(context: RequestContext, query: ObjectQuery): Promise<ObjectPage> {
  const { account, container } = containerOf(context);
  try {
    const { backend } = context.services;
    return await backend.listObjects(context.call, segmentsContainer(account, container), query);
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
