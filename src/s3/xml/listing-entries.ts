import { encodeUriPath } from '../../uri.js';
import { formatIsoDate } from '../rules/dates.js';
import { escapeXml, optionalElement } from './escape.js';
import { renderOwner, type Owner } from './owner.js';

/** What both versions of ListBucketResult share: `<Contents>` and `<CommonPrefixes>`. */

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
  let rendered = '';
  let owner: Owner | undefined;
  let renderedOwner = '';
  for (const entry of contents) {
    // Nearly always the same one for a whole page.
    if (entry.owner !== owner) {
      owner = entry.owner;
      renderedOwner = owner === undefined ? '' : renderOwner(owner);
    }
    rendered +=
      `<Contents><Key>${listedName(entry.key, urlEncoded)}</Key>` +
      `<LastModified>${formatIsoDate(entry.lastModified)}</LastModified>` +
      `<ETag>&quot;${escapeXml(entry.etag)}&quot;</ETag>` +
      optionalElement('ChecksumAlgorithm', entry.checksumAlgorithm) +
      `<Size>${entry.size}</Size>${renderedOwner}` +
      `<StorageClass>${escapeXml(entry.storageClass)}</StorageClass></Contents>`;
  }
  return rendered;
}

export function renderCommonPrefixes(prefixes: readonly string[], urlEncoded: boolean): string {
  let rendered = '';
  for (const prefix of prefixes) {
    rendered += `<CommonPrefixes><Prefix>${listedName(prefix, urlEncoded)}</Prefix></CommonPrefixes>`;
  }
  return rendered;
}
