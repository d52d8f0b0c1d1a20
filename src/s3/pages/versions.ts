import type { ListObjectVersionsQuery } from '../rules/versions-listing-query.js';
import { readVersionsPage, type VersionsPageEntry } from '../versions/listing/versions-page.js';
import type { Document } from '../xml/document-bytes.js';
import { renderListVersionsResult, type ListedVersionEntry } from '../xml/list-versions-result.js';
import type { Owner } from '../xml/owner.js';
import type { ListedBucket, PageSource } from './page-source.js';

export interface VersionsPageOf extends ListedBucket {
  readonly query: ListObjectVersionsQuery;
  /** Shown with each version. */
  readonly owner: Owner;
}

/** ListObjectVersions. @throws as `readVersionsPage` */
export async function renderVersions(source: PageSource, page: VersionsPageOf): Promise<Document> {
  const { account, bucket, query, owner } = page;
  const { backend, call, readIndex, repairLink } = source;
  const versions = { backend, call, readIndex, repairLink, account, bucket, owner };
  const { entries, next } = await readVersionsPage(versions, {
    ...query,
    delimiter: query.delimiter,
  });
  const commonPrefixes: string[] = [];
  const listed: ListedVersionEntry[] = [];
  for (const entry of entries) {
    if (isPrefix(entry)) commonPrefixes.push(entry.prefix);
    else listed.push(entry);
  }
  const { keyMarker, versionIdMarker } = next ?? {};
  return renderListVersionsResult({
    bucket,
    query,
    entries: listed,
    commonPrefixes,
    truncated: next !== undefined,
    nextKeyMarker: keyMarker,
    nextVersionIdMarker: versionIdMarker === '' ? undefined : versionIdMarker,
  });
}

function isPrefix(
  entry: VersionsPageEntry,
): entry is Extract<VersionsPageEntry, { kind: 'prefix' }> {
  return entry.kind === 'prefix';
}
