import { abortDateOfUpload } from '../bucket/lifecycles.js';
import {
  listedBucket,
  ownerOf,
  pageResponse,
  type RequestContext,
  type S3Response,
} from '../operation.js';
import {
  parseListPartsQuery,
  parseListMultipartUploadsQuery,
} from '../rules/multipart-listing-query.js';
import { requireOpenUpload, uploadOf } from './upload.js';

/** ListParts: in the order of their numbers. */
export async function listParts(context: RequestContext): Promise<S3Response> {
  const query = parseListPartsQuery(context.endpoint.query);
  const upload = await uploadOf(context);
  const { systemMetadata, lastModified } = await requireOpenUpload(context, upload);
  const abortDate = await abortDateOfUpload(context, lastModified);
  const page = { upload, query, owner: ownerOf(context), systemMetadata };
  return pageResponse(context, 'ListParts', page, abortDate);
}

/**
 * ListMultipartUploads: in the order of keys, those of one key in the order of their beginning. A
 * page may have fewer uploads than asked for, also none, and still be followed by another.
 */
export async function listMultipartUploads(context: RequestContext): Promise<S3Response> {
  const query = parseListMultipartUploadsQuery(context.endpoint.query);
  await context.containerHead();
  const owner = ownerOf(context);
  return pageResponse(context, 'ListMultipartUploads', { ...listedBucket(context), query, owner });
}
