import {
  listedBucket,
  ownerOf,
  pageResponse,
  type RequestContext,
  type S3Response,
} from '../operation.js';
import { regionHeader } from '../rules/region-header.js';
import { parseListObjectsQuery, parseListObjectsV2Query } from '../rules/listing-query.js';

/** ListObjects, version 1: the next page begins behind a name. Every entry shows its owner. */
export async function listObjects(context: RequestContext): Promise<S3Response> {
  const query = parseListObjectsQuery(context.endpoint.query);
  const owner = ownerOf(context);
  const page = { ...listedBucket(context), query, owner };
  return pageResponse(context, 'ListObjects', page, regionHeader(context.services.settings.region));
}

/** ListObjectsV2: the next page begins behind an opaque token. */
export async function listObjectsV2(context: RequestContext): Promise<S3Response> {
  const query = parseListObjectsV2Query(context.endpoint.query);
  const owner = query.fetchOwner ? ownerOf(context) : undefined;
  const page = { ...listedBucket(context), query, owner };
  return pageResponse(
    context,
    'ListObjectsV2',
    page,
    regionHeader(context.services.settings.region),
  );
}
