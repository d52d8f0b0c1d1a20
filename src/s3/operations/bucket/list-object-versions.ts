import type { RequestContext, S3Response } from '../../operation.js';
import { effectiveDelimiter } from '../../rules/query-parameters.js';
import { parseListObjectVersionsQuery } from '../../rules/versions-listing-query.js';
import { readVersionsPage, type VersionsPageEntry } from '../../versions/listing/versions-page.js';
import {
  renderListVersionsResult,
  type ListedVersionEntry,
} from '../../xml/list-versions-result.js';
import { versionsSource } from '../versions-source.js';
import { xmlResponse } from '../xml-response.js';

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
