import type { ListedObject, ListingEntry, ObjectPage } from '../object-listing.js';
import { parseListing, readListedHash, type ListedHash } from './listing-requests.js';
import { readListingTime } from './timestamps.js';
import { unquoted } from './stored-object.js';

/** The contents of Swift's listings of containers; needs nothing of the network. */

/** An entry of Swift's listing: an object, or a roll-up. */
export interface Listed {
  readonly subdir?: string;
  readonly name: string;
  readonly hash: string;
  readonly bytes: number;
  readonly last_modified: string;
  readonly content_type: string;
  // Fields that middlewares make of parameters in the hash: s3api, slo, symlink.
  readonly s3_etag?: string;
  readonly slo_etag?: string;
  readonly symlink_etag?: string;
  readonly symlink_bytes?: number;
}

/** @throws BackendError Corrupt for what is no JSON list */
export function parseListed(text: string): readonly Listed[] {
  return parseListing(text) as readonly Listed[];
}

export function pageOfListed(items: readonly Listed[], truncated: boolean): ObjectPage {
  const entries = items.map((each): ListingEntry => {
    if (each.subdir !== undefined) return { kind: 'prefix', prefix: each.subdir };
    return { kind: 'object', object: readListed(each) };
  });
  return { entries, truncated };
}

export function readListed(listed: Listed): ListedObject {
  const { md5, etag, attributes, ...more } = readListedHash(listed.hash);
  return {
    name: listed.name,
    size: listed.symlink_bytes ?? more.targetBytes ?? listed.bytes,
    etag: etag ?? etagOf(listed, more) ?? md5,
    lastModified: readListingTime(listed.last_modified),
    contentType: listed.content_type,
    attributes,
  };
}

/** The same that reading the object tells, see stored-object.ts. */
function etagOf(
  { s3_etag, slo_etag, symlink_etag }: Listed,
  { sloEtag = slo_etag, targetEtag = symlink_etag }: Pick<ListedHash, 'sloEtag' | 'targetEtag'>,
): string | undefined {
  if (s3_etag !== undefined) return unquoted(s3_etag);
  return sloEtag === undefined ? targetEtag : `${unquoted(sloEtag)}-N`;
}
