import type {
  CallContext,
  ContainerInfo,
  ContainerPage,
  ContainerQuery,
  ContainerRef,
  ListingEntry,
  ObjectPage,
  ObjectQuery,
} from '../backend.js';
import { scratch } from '../../lib/buffers/scratch-memory.js';
import { BackendError } from '../errors.js';
import { UNREAD_ENTRIES_MIN, type UnreadPage } from '../unread-page.js';
import { pageOfListed, parseListed, readListed, type Listed } from './listed-page.js';
import { requestListing, requestListingBytes, type ListingParameters } from './listing-requests.js';
import type { ReadDeps } from './object-heads.js';
import type { UnreadListing } from './page-reader.js';
import { readListingTime } from './timestamps.js';
import type { SwiftInfo } from './transport.js';

/** A page of a listing. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Whether more follow. */
  readonly truncated: boolean;
}

/**
 * Fills a page of `limit` items. Swift does not say whether more follow, so one more is asked for, if
 * need be on its own: the cluster's own limit is below that of many a caller.
 * @param requestMax most items of one request
 * @param fetch items behind the marker; fewer than asked for only when nothing follows
 */
export async function fillPage<T>(
  limit: number,
  requestMax: number,
  marker: string,
  fetch: (marker: string, limit: number) => Promise<readonly T[]>,
  markerOf: (last: T) => string,
): Promise<Page<T>> {
  const items: T[] = [];
  for (let from = marker; ;) {
    const wanted = Math.min(limit + 1 - items.length, requestMax);
    const more = await fetch(from, wanted);
    for (const item of more) items.push(item);
    const last = more.at(-1);
    if (items.length > limit) return { items: items.slice(0, limit), truncated: true };
    if (last === undefined || more.length < wanted) return { items, truncated: false };
    from = markerOf(last);
  }
}

/** The highest character: names are compared in the byte order of their UTF-8. */
const LAST_CHARACTER = '\u{10ffff}';
const LAST_CHARACTER_BYTES = 4;

/** The roll-up of all names that go on behind the first delimiter after the prefix. */
export function rollUpOf(name: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !name.startsWith(prefix)) return undefined;
  const at = name.indexOf(delimiter, prefix.length);
  return at === -1 ? undefined : name.slice(0, at + delimiter.length);
}

/**
 * A marker behind every name that begins with the prefix, and before every later name.
 * @param nameBytesMax longest possible name, which the marker exceeds
 */
export function behindPrefix(prefix: string, nameBytesMax: number): string {
  const left = Math.max(0, nameBytesMax - Buffer.byteLength(prefix));
  return prefix + LAST_CHARACTER.repeat(Math.floor(left / LAST_CHARACTER_BYTES) + 1);
}

/** A marker before every name that begins with the prefix, and behind every earlier name. */
export function beforePrefix(prefix: string, nameBytesMax: number): string {
  const last = prefix.codePointAt(lastCharacterAt(prefix)) ?? 0;
  if (last === 0) return prefix.slice(0, -1);
  const former = String.fromCodePoint(last === FIRST_ABOVE_SURROGATES ? SURROGATES - 1 : last - 1);
  return behindPrefix(prefix.slice(0, lastCharacterAt(prefix)) + former, nameBytesMax);
}

const SURROGATES = 0xd800;
const FIRST_ABOVE_SURROGATES = 0xe000;

function lastCharacterAt(text: string): number {
  return text.length - (/[\u{10000}-\u{10ffff}]$/u.test(text) ? 2 : 1);
}

/**
 * Swift looks for the end of a prefix, and of a roll-up, by counting its last character up by one,
 * and fails with 500 where there is no next one (swift/container/backend.py).
 */
export function hasNext(text: string): boolean {
  return !/[\ud7ff\u{10ffff}]$/u.test(text);
}

/** An entry of Swift's listing. */
interface ListedContainer {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
  readonly last_modified: string;
}

/** The containers of an account. An account that is not there yet has none. */
export async function listContainers(
  { transport, limits }: ReadDeps,
  context: CallContext,
  account: string,
  { prefix = '', marker = '', limit }: ContainerQuery,
): Promise<ContainerPage> {
  const { items, truncated } = await fillPage(
    limit,
    limits.listingLimit,
    marker,
    async (from, wanted) => {
      const parameters = { prefix, marker: from, limit: wanted };
      const listed = await requestListing(transport, context, { account }, parameters);
      return (listed ?? []) as readonly ListedContainer[];
    },
    ({ name }) => name,
  );
  return { containers: items.map(readContainer), truncated };
}

function readContainer({ name, count, bytes, last_modified }: ListedContainer): ContainerInfo {
  const createdAt = readListingTime(last_modified);
  return { name, createdAt, objectCount: count, bytesUsed: bytes };
}

/** A query in which nothing is left out. */
type FullQuery = Required<{ [Name in keyof ObjectQuery]: Exclude<ObjectQuery[Name], undefined> }>;

type Fetch = (parameters: ListingParameters) => Promise<readonly Listed[]>;

/** One page of a container. @throws BackendError NoSuchContainer */
export async function listObjects(
  { transport, heads, limits }: ReadDeps,
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
    throw noSuchContainer(ref);
  };
  const list = isNative(full) ? listNatively : listByScan;
  return list(fetch, full, limits);
}

/** Less JSON than this is parsed at once; an entry has some 230 bytes. */
const UNREAD_BYTES_MIN = UNREAD_ENTRIES_MIN * 230;

/** As {@link listObjects}, with a long page as it arrived. Those that take two requests are read. */
export async function listUnread(
  deps: ReadDeps,
  context: CallContext,
  ref: ContainerRef,
  query: ObjectQuery,
): Promise<ObjectPage | UnreadPage> {
  const { transport, limits } = deps;
  const full = fullQuery(query, limits.objectNameBytesMax);
  const { limit } = query;
  if (full === 'nothing' || !isNative(full) || limit >= limits.listingLimit) {
    return listObjects(deps, context, ref, query);
  }
  const parameters = { ...full, limit: limit + 1 };
  const listed = await requestListingBytes(transport, context, ref, parameters);
  if (listed === undefined) throw noSuchContainer(ref);
  const { memory, length } = listed;
  if (length >= UNREAD_BYTES_MIN && memory.length === memory.buffer.byteLength) {
    const data: UnreadListing = { memory: memory.buffer, length, limit };
    return { reader: 'swift', data, transfer: [memory.buffer] };
  }
  const items = parseListed(memory.toString('utf8', 0, length));
  scratch.give(memory);
  return pageOfListed(items.slice(0, limit), items.length > limit);
}

/** Whether Swift itself can list it. */
function isNative({ prefix, delimiter }: FullQuery): boolean {
  return hasNext(prefix) && hasNext(delimiter);
}

function noSuchContainer({ container }: ContainerRef): BackendError {
  return new BackendError('NoSuchContainer', `no container ${container}`);
}

/** A marker longer than any name is cut, such a delimiter ignored; no name has such a prefix. */
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
  return pageOfListed(items, truncated);
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
