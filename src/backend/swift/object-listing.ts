import type {
  CallContext,
  ContainerRef,
  ListedObject,
  ListingEntry,
  ObjectPage,
  ObjectQuery,
} from '../backend.js';
import { BackendError } from '../errors.js';
import { readListedHash } from './listing-entry.js';
import { type ListingParameters, requestListing } from './listing-requests.js';
import { fillPage } from './paging.js';
import type { ReadParts } from './read-parts.js';
import { beforePrefix, behindPrefix, hasNext, rollUpOf } from './roll-ups.js';
import { unquoted } from './stored-object.js';
import { readListingTime } from './timestamps.js';
import type { SwiftInfo } from './transport.js';

/** An entry of Swift's listing: an object, or a roll-up. */
interface Listed {
  readonly subdir?: string;
  readonly name: string;
  readonly hash: string;
  readonly bytes: number;
  readonly last_modified: string;
  readonly content_type: string;
  // What middlewares make of parameters in the hash: s3api, slo, symlink.
  readonly s3_etag?: string;
  readonly slo_etag?: string;
  readonly symlink_etag?: string;
  readonly symlink_bytes?: number;
}

/** A query in which nothing is left out. */
type FullQuery = Required<{ [Name in keyof ObjectQuery]: Exclude<ObjectQuery[Name], undefined> }>;

type Fetch = (parameters: ListingParameters) => Promise<readonly Listed[]>;

/** One page of a container. @throws BackendError NoSuchContainer */
export async function listObjects(
  { transport, heads, limits }: ReadParts,
  context: CallContext,
  ref: ContainerRef,
  query: ObjectQuery,
): Promise<ObjectPage> {
  const full = fullQuery(query, limits.objectNameBytesMax);
  if (full === 'nothing') {
    await heads.head(context, ref);
    return { entries: [], truncated: false };
  }
  const fetch: Fetch = async (parameters) => {
    const listed = await requestListing(transport, context, ref, parameters);
    if (listed !== undefined) return listed as readonly Listed[];
    throw new BackendError('NoSuchContainer', `no container ${ref.container}`);
  };
  const list = hasNext(full.prefix) && hasNext(full.delimiter) ? listNatively : listByScan;
  return list(fetch, full, limits);
}

/** What is longer than any name is cut, or means nothing. */
function fullQuery(query: ObjectQuery, nameBytesMax: number): FullQuery | 'nothing' {
  const { prefix = '', marker = '', limit } = query;
  if (Buffer.byteLength(prefix) > nameBytesMax) return 'nothing';
  const given = query.delimiter ?? '';
  const delimiter = Buffer.byteLength(given) > nameBytesMax ? '' : given;
  const rollUp = rollUpOf(marker, prefix, delimiter);
  if (rollUp === undefined) return { prefix, delimiter, limit, marker: cut(marker, nameBytesMax) };
  // Swift passes over a roll-up that equals the marker, not one that the marker lies in.
  return { prefix, delimiter, limit, marker: behindPrefix(rollUp, nameBytesMax) };
}

/** Names are all on the same side of both. */
function cut(marker: string, nameBytesMax: number): string {
  if (marker.length * 3 <= nameBytesMax) return marker;
  const bytes = Buffer.from(marker);
  let end = nameBytesMax;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end++;
  return bytes.toString('utf8', 0, end);
}

async function listNatively(
  fetch: Fetch,
  { prefix, delimiter, marker, limit }: FullQuery,
  { listingLimit, objectNameBytesMax }: SwiftInfo,
): Promise<ObjectPage> {
  const { items, truncated } = await fillPage(
    limit,
    listingLimit,
    marker,
    (from, wanted) => fetch({ prefix, delimiter, marker: from, limit: wanted }),
    (last) =>
      last.subdir === undefined ? last.name : behindPrefix(last.subdir, objectNameBytesMax),
  );
  const entries = items.map((each): ListingEntry => {
    if (each.subdir !== undefined) return { kind: 'prefix', prefix: each.subdir };
    return { kind: 'object', object: readListed(each) };
  });
  return { entries, truncated };
}

/** Rolls names up here: for the few prefixes and delimiters that Swift cannot. */
async function listByScan(
  fetch: Fetch,
  { prefix, delimiter, marker, limit }: FullQuery,
  { listingLimit, objectNameBytesMax }: SwiftInfo,
): Promise<ObjectPage> {
  const first = prefix === '' ? '' : beforePrefix(prefix, objectNameBytesMax);
  const end_marker = prefix === '' ? '' : behindPrefix(prefix, objectNameBytesMax);
  const entries: ListingEntry[] = [];
  let rollUp: string | undefined;
  for (let from = laterOf(first, marker); ;) {
    const page = await fetch({ marker: from, end_marker, limit: listingLimit });
    for (const each of page) {
      const former = rollUp;
      rollUp = rollUpOf(each.name, prefix, delimiter);
      if (rollUp === undefined) entries.push({ kind: 'object', object: readListed(each) });
      else if (rollUp !== former) entries.push({ kind: 'prefix', prefix: rollUp });
      if (entries.length > limit) return { entries: entries.slice(0, limit), truncated: true };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < listingLimit) return { entries, truncated: false };
    from = rollUp === undefined ? last.name : behindPrefix(rollUp, objectNameBytesMax);
  }
}

function laterOf(one: string, other: string): string {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0 ? other : one;
}

function readListed(listed: Listed): ListedObject {
  const { md5, etag, attributes } = readListedHash(listed.hash);
  return {
    name: listed.name,
    size: listed.symlink_bytes ?? listed.bytes,
    etag: etag ?? etagOf(listed) ?? md5,
    lastModified: readListingTime(listed.last_modified),
    contentType: listed.content_type,
    attributes,
  };
}

/** The same that reading the object tells, see stored-object.ts. */
function etagOf({ s3_etag, slo_etag, symlink_etag }: Listed): string | undefined {
  if (s3_etag !== undefined) return unquoted(s3_etag);
  return slo_etag === undefined ? symlink_etag : `${unquoted(slo_etag)}-N`;
}
