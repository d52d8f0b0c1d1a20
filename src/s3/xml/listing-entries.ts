import { encodeUriPath } from '../../lib/uri.js';
import { formatIsoDate } from '../rules/dates.js';
import { DocumentBytes } from './document-bytes.js';
import { escapeXml, optionalElement } from './escape.js';
import { renderOwner, type Owner } from './owner.js';

/** What listings of objects and versions share: names, attributes and `<CommonPrefixes>`. */

export interface ListedKey {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  /** Unquoted. */
  readonly etag: string;
  readonly size: number;
  readonly storageClass: string;
  readonly owner?: Owner | undefined;
  /** As in `x-amz-checksum-algorithm`, e.g. `CRC32`. */
  readonly checksumAlgorithm?: string | undefined;
}

/**
 * A name in a listing: key, prefix, delimiter or marker. With `encoding-type=url` it is
 * percent-encoded as in a URI path. A space is `%20`, never `+`, so that clients that decode forms
 * and clients that decode URIs both read it.
 */
export function listedName(name: string, urlEncoded: boolean): string {
  return urlEncoded ? encodeUriPath(name) : escapeXml(name);
}

/** An element with a {@link listedName}; nothing for undefined. */
export function nameElement(tag: string, name: string | undefined, urlEncoded: boolean): string {
  return name === undefined ? '' : `<${tag}>${listedName(name, urlEncoded)}</${tag}>`;
}

/** Bytes of an entry with a key of 100 characters. */
const ENTRY_BYTES = 320;

/** For a listing of so many entries and prefixes. */
export function listingBytes(entries: number): DocumentBytes {
  return new DocumentBytes(8192 + entries * ENTRY_BYTES);
}

export function addContents(
  document: DocumentBytes,
  contents: readonly ListedKey[],
  urlEncoded: boolean,
): void {
  const renderOwnerOnce = ownerRenderer();
  for (const entry of contents) {
    const owner = renderOwnerOnce(entry.owner);
    const name = listedName(entry.key, urlEncoded);
    document.add(`<Contents><Key>${name}</Key>${renderAttributes(entry, owner)}</Contents>`);
  }
}

/** What follows the names in `<Contents>` and `<Version>`; `owner` is rendered. */
export function renderAttributes(entry: ListedKey, owner: string): string {
  return (
    `<LastModified>${formatIsoDate(entry.lastModified)}</LastModified>` +
    `<ETag>&quot;${escapeXml(entry.etag)}&quot;</ETag>` +
    optionalElement('ChecksumAlgorithm', entry.checksumAlgorithm) +
    `<Size>${entry.size}</Size>${owner}` +
    `<StorageClass>${escapeXml(entry.storageClass)}</StorageClass>`
  );
}

/** Renders the owners of a page's entries: nearly always the same one. Nothing for undefined. */
export function ownerRenderer(): (owner: Owner | undefined) => string {
  let last: Owner | undefined;
  let rendered = '';
  return (owner) => {
    if (owner !== last) {
      last = owner;
      rendered = owner === undefined ? '' : renderOwner(owner);
    }
    return rendered;
  };
}

export function addCommonPrefixes(
  document: DocumentBytes,
  prefixes: readonly string[],
  urlEncoded: boolean,
): void {
  for (const prefix of prefixes) document.add(renderCommonPrefix(prefix, urlEncoded));
}

export function renderCommonPrefixes(prefixes: readonly string[], urlEncoded: boolean): string {
  return prefixes.map((prefix) => renderCommonPrefix(prefix, urlEncoded)).join('');
}

function renderCommonPrefix(prefix: string, urlEncoded: boolean): string {
  return `<CommonPrefixes><Prefix>${listedName(prefix, urlEncoded)}</Prefix></CommonPrefixes>`;
}
