import {
  containerOf,
  listedBucket,
  ownerOf,
  pageResponse,
  type RequestContext,
  type S3Response,
} from '../operation.js';
import { regionHeader } from '../rules/region-header.js';
import { parseListObjectVersionsQuery } from '../rules/versions-listing-query.js';
import type { VersionsSource } from '../versions/listing/key-reader.js';

/** The versions of a request's bucket, for those who go through them. */
export function versionsSource(context: RequestContext): VersionsSource {
  const { services, call } = context;
  const { backend, versions } = services;
  const { account, container: bucket } = containerOf(context);
  return {
    backend,
    call,
    account,
    bucket,
    readIndex: (ofCall, key) => versions.readIndex(ofCall, key),
    repairLink: (ofCall, key) => versions.repairLink(ofCall, key),
    owner: ownerOf(context),
  };
}

/** ListObjectVersions: SPEC.md 2.4. In a bucket without versions, each object is version `null`. */
export async function listObjectVersions(context: RequestContext): Promise<S3Response> {
  const query = parseListObjectVersionsQuery(context.endpoint.query);
  const owner = ownerOf(context);
  const page = { ...listedBucket(context), query, owner };
  return pageResponse(
    context,
    'ListObjectVersions',
    page,
    regionHeader(context.services.settings.region),
  );
}
