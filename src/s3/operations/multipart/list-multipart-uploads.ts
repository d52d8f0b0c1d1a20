import type { ObjectPage, ObjectQuery } from '../../../backend/backend.js';
import { BackendError } from '../../../backend/errors.js';
import { SYSTEM_METADATA } from '../../object-attributes.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { parseListMultipartUploadsQuery } from '../../rules/multipart-listing-query.js';
import { effectiveDelimiter } from '../../rules/query-parameters.js';
import { DEFAULT_STORAGE_CLASS } from '../../rules/storage-class.js';
import { decodeUploadChecksum } from '../../rules/upload-checksum.js';
import { segmentsContainer } from '../../segments/names.js';
import { readOpenUploads, type OpenUpload } from '../../segments/open-uploads.js';
import {
  renderListMultipartUploadsResult,
  type ListedUpload,
} from '../../xml/list-multipart-uploads-result.js';
import type { Owner } from '../../xml/owner.js';
import { containerOf, ownerOf } from '../refs.js';
import { xmlResponse } from '../xml-response.js';
import { initiatorOf, ownerOfUpload } from './list-parts.js';

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
