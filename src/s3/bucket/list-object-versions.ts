import {
  type RequestContext,
  containerOf,
  ownerOf,
  type S3Response,
  xmlResponse,
} from '../operation.js';
import { effectiveDelimiter } from '../rules/query-parameters.js';
import { parseListObjectVersionsQuery } from '../rules/versions-listing-query.js';
import type { VersionsSource } from '../versions/listing/key-reader.js';
import { readVersionsPage, type VersionsPageEntry } from '../versions/listing/versions-page.js';
import { renderListVersionsResult, type ListedVersionEntry } from '../xml/list-versions-result.js';

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

/** ListObjectVersions: SPEC.md 2.4. Of a bucket that keeps none, each object is version `null`. */
export async function listObjectVersions(context: RequestContext): Promise<S3Response> {
  const query = parseListObjectVersionsQuery(context.endpoint.query);
  const { entries, next } = await readVersionsPage(versionsSource(context), {
    ...query,
    delimiter: effectiveDelimiter(query.delimiter),
  });
  const commonPrefixes: string[] = [];
  const versions: ListedVersionEntry[] = [];
  for (const entry of entries) {
    if (isPrefix(entry)) commonPrefixes.push(entry.prefix);
    else versions.push(entry);
  }
  const { keyMarker, versionIdMarker } = next ?? {};
  return xmlResponse(
    renderListVersionsResult({
      bucket: context.endpoint.bucket,
      query,
      entries: versions,
      commonPrefixes,
      truncated: next !== undefined,
      nextKeyMarker: keyMarker,
      nextVersionIdMarker: versionIdMarker === '' ? undefined : versionIdMarker,
    }),
  );
}

function isPrefix(
  entry: VersionsPageEntry,
): entry is Extract<VersionsPageEntry, { kind: 'prefix' }> {
  return entry.kind === 'prefix';
}
