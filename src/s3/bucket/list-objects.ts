import {
  listedBucket,
  ownerOf,
  pageResponse,
  type RequestContext,
  type S3Response,
} from '../operation.js';
import { parseListObjectsQuery, parseListObjectsV2Query } from '../rules/listing-query.js';

/** ListObjects, version 1: the next page begins behind a name. Every entry shows its owner. */
export async function listObjects(context: RequestContext): Promise<S3Response> {
  const query = parseListObjectsQuery(context.endpoint.query);
  const owner = ownerOf(context);
  return pageResponse(context, 'ListObjects', { ...listedBucket(context), query, owner });
}

/** ListObjectsV2: the next page begins behind an opaque token. */
export async function listObjectsV2(context: RequestContext): Promise<S3Response> {
  const query = parseListObjectsV2Query(context.endpoint.query);
  const owner = query.fetchOwner ? ownerOf(context) : undefined;
  return pageResponse(context, 'ListObjectsV2', { ...listedBucket(context), query, owner });
}
