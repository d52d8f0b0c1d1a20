import type {
  ListingEntry,
  ObjectPage,
  ObjectQuery,
  ListedObject,
} from '../../../backend/backend.js';
import { isCode } from '../../../backend/errors.js';
import { archiveContainer, hexKey, parseArchiveName } from '../names.js';
import type { VersionsSource } from './key-reader.js';

/** How many calls a page has made, and whether it should end. */
export class CallCount {
  #calls = 0;

  constructor(private readonly callsMax: number) {}

  get isSpent(): boolean {
    return this.#calls >= this.callsMax;
  }

  made<Result>(call: Promise<Result>): Promise<Result> {
    this.#calls++;
    return call;
  }
}

/** Lists a container. */
export type List = (query: ObjectQuery) => Promise<ObjectPage>;

/** Reads a listing forward, page by page, as far as it is asked for. */
export class ListingReader {
  #entries: readonly ListingEntry[] = [];
  #at = 0;
  /** The start of the next page. */
  #marker: string | undefined;
  #isLastPage = false;

  constructor(
    private readonly list: List,
    private readonly query: ObjectQuery,
  ) {
    this.#marker = query.marker;
  }

  /** The next entry, which stays the next one; undefined at the end. */
  async head(): Promise<ListingEntry | undefined> {
    for (;;) {
      const entry = this.#entries[this.#at];
      if (entry !== undefined) return entry;
      if (this.#isLastPage) return undefined;
      const page = await this.list({ ...this.query, marker: this.#marker });
      const last = page.entries.at(-1);
      this.#isLastPage = !page.truncated || last === undefined;
      if (last !== undefined) this.#marker = nameOf(last);
      this.#entries = page.entries;
      this.#at = 0;
    }
  }

  /** Passes over the next entry. */
  next(): void {
    this.#at++;
  }

  /**
   * Passes over everything up to a name, and over the roll-up that it lies in: without a call for
   * what was not read yet. Names up to there are of ASCII characters only.
   */
  skipTo(name: string): void {
    while (this.#at < this.#entries.length) {
      const entry = this.#entries[this.#at];
      if (entry === undefined || nameOf(entry) > name) return;
      this.#at++;
    }
    if (this.#marker === undefined || this.#marker < name) this.#marker = name;
  }
}

export function nameOf(entry: ListingEntry): string {
  return entry.kind === 'object' ? entry.object.name : entry.prefix;
}

type Place = Pick<VersionsSource, 'backend' | 'call' | 'account' | 'bucket'>;

export function bucketList({ backend, call, account, bucket }: Place, calls: CallCount): List {
  const container = { account, container: bucket };
  return (query) => calls.made(backend.listObjects(call, container, query));
}

/** Empty where there is no archive: a bucket that never kept versions has none. */
export function archiveList({ backend, call, account, bucket }: Place, calls: CallCount): List {
  const container = archiveContainer(account, bucket);
  return async (query) => {
    try {
      return await calls.made(backend.listObjects(call, container, query));
    } catch (error) {
      if (isCode(error, 'NoSuchContainer')) return NOTHING;
      throw error;
    }
  };
}

const NOTHING: ObjectPage = { entries: [], truncated: false };

export type ArchiveItem =
  | {
      readonly kind: 'key';
      readonly key: string;
      /**
       * The listing entry of its index; undefined if there are names of a key and no index among
       * them.
       */
      readonly index: ListedObject | undefined;
    }
  /** Keys that are rolled up. Whether any of them has versions was not looked at. */
  | { readonly kind: 'prefix'; readonly prefix: string };

interface ArchiveStart {
  readonly prefix: string;
  readonly delimiter: string | undefined;
  /** Empty at the beginning. */
  readonly key: string;
  /** Whether the scan begins with this key, or behind it. */
  readonly inclusive: boolean;
  /** The common prefix that the key lies in, when what is left of it still matters. */
  readonly within: string | undefined;
  readonly namesPerListing: number;
}

/** A marker behind every hexadecimal digit and `/`: it ends names that go on with one. */
const AFTER_ALL = '~';
/** The end of an index's name, and a marker between a key's versions and fences and its index. */
const INDEX = '/index.json';
const BEFORE_INDEX = '/index.h';

/**
 * The keys of an archive in their order, each with the listing entry of its index, and the common
 * prefixes that stand for many of them.
 *
 * Names are listed one by one, not rolled up to `<hex>/`: so each index comes with its listing
 * entry, and one listing replaces a read of each key. If a key has more names than a listing holds,
 * the scan skips to its index, the last of its names, so that the versions and fences of one key
 * never take two listings.
 *
 * The store searches for the delimiter in hexadecimal. There it also finds sequences that only look
 * like one, between two bytes: `/` is 2f, and 'r😀' is 72 f0 9f 98 80. Such a roll-up is listed by
 * itself, without a delimiter. If the name of a version has such a sequence, the roll-up is one
 * more name of that key. `index.json` has none: its only hexadecimal digits, `de`, are the first
 * byte of two.
 */
export class ArchiveScan {
  /** The last one is read first; what it stands for is passed over in the one below it. */
  readonly #readers: ListingReader[];
  #item: ArchiveItem | undefined;

  constructor(
    private readonly list: List,
    private readonly start: ArchiveStart,
  ) {
    const marker = this.#startMarker();
    this.#readers = [
      new ListingReader(list, {
        prefix: hexKey(start.prefix),
        delimiter: start.delimiter === undefined ? undefined : hexKey(start.delimiter),
        marker,
        limit: start.namesPerListing,
      }),
    ];
    // The store skips the rest of a roll-up around the marker, so that rest is read first. A common
    // prefix that was passed has no rest.
    const rollUp = marker === undefined ? undefined : this.#hexRollUp(marker);
    if (rollUp !== undefined && marker !== rollUp + AFTER_ALL) this.#push(rollUp, marker);
  }

  /** The next one, which stays the next one until it is skipped or entered; undefined at the end. */
  async peek(): Promise<ArchiveItem | undefined> {
    this.#item ??= await this.#find();
    return this.#item;
  }

  skipKey(key: string): void {
    this.#skipTo(`${hexKey(key)}/${AFTER_ALL}`);
  }

  /** Passes over all keys that begin with this. */
  skipPrefix(prefix: string): void {
    this.#skipTo(hexKey(prefix) + AFTER_ALL);
  }

  /** Goes through the keys of a common prefix, the next item. */
  enter(prefix: string): void {
    const hex = hexKey(prefix);
    this.#skipTo(hex + AFTER_ALL);
    this.#push(hex, undefined);
  }

  #startMarker(): string | undefined {
    const { key, inclusive, within } = this.start;
    if (key === '') return undefined;
    if (inclusive) return hexKey(key) + BEFORE_INDEX;
    const passed = within === undefined ? this.#rollUp(key) : undefined;
    return passed === undefined ? `${hexKey(key)}/${AFTER_ALL}` : hexKey(passed) + AFTER_ALL;
  }

  /** The common prefix that a key lies in. */
  #rollUp(key: string): string | undefined {
    return rollUpOf(key, this.start.prefix, this.start.delimiter);
  }

  /** The roll-up that a store lists for a name. */
  #hexRollUp(name: string): string | undefined {
    const { prefix, delimiter } = this.start;
    if (delimiter === undefined) return undefined;
    return rollUpOf(name, hexKey(prefix), hexKey(delimiter));
  }

  #skipTo(name: string): void {
    this.#item = undefined;
    for (const reader of this.#readers) reader.skipTo(name);
  }

  #push(prefix: string, marker: string | undefined): void {
    const limit = this.start.namesPerListing;
    this.#readers.push(new ListingReader(this.list, { prefix, marker, limit }));
  }

  async #find(): Promise<ArchiveItem | undefined> {
    for (;;) {
      const reader = this.#readers.at(-1);
      if (reader === undefined) return undefined;
      const entry = await reader.head();
      if (entry === undefined) this.#readers.pop();
      else {
        const item = await this.#itemOf(entry, reader);
        if (item !== undefined) return item;
      }
    }
  }

  /** @returns undefined when the next entry is another one now */
  async #itemOf(entry: ListingEntry, reader: ListingReader): Promise<ArchiveItem | undefined> {
    const name = nameOf(entry);
    const slash = name.indexOf('/');
    if (slash === -1 && entry.kind === 'prefix') return this.#rolledUp(name, reader);
    const hex = slash === -1 ? name : name.slice(0, slash);
    const key = keyOf(hex);
    if (slash === -1 || key === undefined) {
      // Nothing of ours.
      reader.next();
      return undefined;
    }
    reader.skipTo(hex + BEFORE_INDEX);
    const next = await reader.head();
    const isIndex = next?.kind === 'object' && next.object.name === hex + INDEX;
    return { kind: 'key', key, index: isIndex ? next.object : undefined };
  }

  #rolledUp(hex: string, reader: ListingReader): ArchiveItem | undefined {
    const prefix = keyOf(hex);
    if (prefix !== undefined && this.#rollUp(prefix) === prefix) return { kind: 'prefix', prefix };
    reader.skipTo(hex + AFTER_ALL);
    this.#push(hex, undefined);
    return undefined;
  }
}

/** Undefined for what is not the hexadecimal of a key. */
function keyOf(hex: string): string | undefined {
  return parseArchiveName(hex + INDEX)?.key;
}

/** The common prefix of all names that go on behind the first delimiter after the prefix. */
export function rollUpOf(
  name: string,
  prefix: string,
  delimiter: string | undefined,
): string | undefined {
  if (delimiter === undefined || !name.startsWith(prefix)) return undefined;
  const at = name.indexOf(delimiter, prefix.length);
  return at === -1 ? undefined : name.slice(0, at + delimiter.length);
}
