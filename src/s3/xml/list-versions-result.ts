import { formatIsoDate } from '../rules/dates.js';
import type { ListObjectVersionsQuery } from '../rules/versions-listing-query.js';
import type { Document, DocumentBytes } from './document-bytes.js';
import { element, optionalElement } from './escape.js';
import {
  addCommonPrefixes,
  listedName,
  listingBytes,
  nameElement,
  ownerRenderer,
  renderAttributes,
  type ListedKey,
} from './listing-entries.js';
import { S3_NAMESPACE } from './namespace.js';
import type { Owner } from './owner.js';

interface Listed {
  /** `null`, or 32 lower-case hexadecimal characters. */
  readonly versionId: string;
  /** Whether it is the latest version of its key, which a request without a version id gets. */
  readonly isLatest: boolean;
}

export interface ListedVersion extends ListedKey, Listed {
  readonly kind: 'version';
}

export interface ListedDeleteMarker extends Listed {
  readonly kind: 'delete-marker';
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly owner?: Owner | undefined;
}

export type ListedVersionEntry = ListedVersion | ListedDeleteMarker;

export interface ListVersionsResult {
  readonly bucket: string;
  readonly query: ListObjectVersionsQuery;
  /** The entries by key, and each key's newest first. */
  readonly entries: readonly ListedVersionEntry[];
  readonly commonPrefixes: readonly string[];
  readonly truncated: boolean;
  /** The last key or common prefix of a truncated page. */
  readonly nextKeyMarker?: string | undefined;
  /** The last version of a truncated page; undefined when a common prefix is the last entry. */
  readonly nextVersionIdMarker?: string | undefined;
}

/** The answer of ListObjectVersions. */
export function renderListVersionsResult(result: ListVersionsResult): Document {
  const { query, entries, commonPrefixes } = result;
  const { urlEncoded } = query;
  const document = listingBytes(entries.length + commonPrefixes.length);
  document.add(
    `<ListVersionsResult xmlns="${S3_NAMESPACE}">${element('Name', result.bucket)}` +
      nameElement('Prefix', query.prefix, urlEncoded) +
      nameElement('KeyMarker', query.keyMarker, urlEncoded) +
      element('VersionIdMarker', query.versionIdMarker) +
      nameElement('NextKeyMarker', result.nextKeyMarker, urlEncoded) +
      optionalElement('NextVersionIdMarker', result.nextVersionIdMarker) +
      `<MaxKeys>${query.maxKeys}</MaxKeys>` +
      nameElement('Delimiter', query.delimiter, urlEncoded) +
      (urlEncoded ? '<EncodingType>url</EncodingType>' : '') +
      `<IsTruncated>${String(result.truncated)}</IsTruncated>`,
  );
  addEntries(document, entries, urlEncoded);
  addCommonPrefixes(document, commonPrefixes, urlEncoded);
  document.add('</ListVersionsResult>');
  return document.take();
}

/** Versions and delete markers stand among each other, in the order of the listing. */
function addEntries(
  document: DocumentBytes,
  entries: readonly ListedVersionEntry[],
  urlEncoded: boolean,
): void {
  const renderOwner = ownerRenderer();
  for (const entry of entries) {
    const owner = renderOwner(entry.owner);
    const identity =
      `<Key>${listedName(entry.key, urlEncoded)}</Key>` +
      `<VersionId>${entry.versionId}</VersionId>` +
      `<IsLatest>${String(entry.isLatest)}</IsLatest>`;
    document.add(
      entry.kind === 'version'
        ? `<Version>${identity}${renderAttributes(entry, owner)}</Version>`
        : `<DeleteMarker>${identity}${markerAttributes(entry, owner)}</DeleteMarker>`,
    );
  }
}

/** AWS's delete markers have no Size; ours have, as SPEC.md 2.4 says. */
function markerAttributes({ lastModified }: ListedDeleteMarker, owner: string): string {
  return `<LastModified>${formatIsoDate(lastModified)}</LastModified><Size>0</Size>${owner}`;
}
