import { encodeUriPath } from '../../uri.js';
import { formatIsoDate } from '../rules/dates.js';
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
export function nameElement(
  element: string,
  name: string | undefined,
  urlEncoded: boolean,
): string {
  return name === undefined ? '' : `<${element}>${listedName(name, urlEncoded)}</${element}>`;
}

export function renderContents(contents: readonly ListedKey[], urlEncoded: boolean): string {
  const renderOwnerOnce = ownerRenderer();
  let rendered = '';
  for (const entry of contents) {
    rendered +=
      `<Contents><Key>${listedName(entry.key, urlEncoded)}</Key>` +
      `${renderAttributes(entry, renderOwnerOnce(entry.owner))}</Contents>`;
  }
  return rendered;
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

export function renderCommonPrefixes(prefixes: readonly string[], urlEncoded: boolean): string {
  let rendered = '';
  for (const prefix of prefixes) {
    rendered += `<CommonPrefixes><Prefix>${listedName(prefix, urlEncoded)}</Prefix></CommonPrefixes>`;
  }
  return rendered;
}
