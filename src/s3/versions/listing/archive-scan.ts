import type { ListedObject, ListingEntry } from '../../../backend/backend.js';
import { hexKey, parseArchiveName } from '../names.js';
import { ListingReader, nameOf, type List } from './listing-reader.js';

/**
 * The keys of an archive in their order, each with the listing entry of its index, and the common
 * prefixes that stand for many of them.
 *
 * Names are listed as they are, not rolled up to `<hex>/`: so each index comes with what its listing
 * entry tells, and one listing stands for a read of each key. A key with more names than a listing
 * holds is left at once for its index, the last of its names, so that no two listings are spent on
 * the versions and fences of one key.
 *
 * A delimiter is looked for by the store, in hexadecimal. There it also finds what only looks like
 * one, between two bytes: `/` is 2f, and 'r😀' is 72 f0 9f 98 80. Such a roll-up is listed by itself,
 * without a delimiter. What looks like one in the name of a version is one more name of that key. In
 * `index.json` there is none: its only hexadecimal digits, `de`, are the first byte of two.
 */

export type ArchiveItem =
  | {
      readonly kind: 'key';
      readonly key: string;
      /** Of its index; undefined where there are names of a key and no index among them. */
      readonly index: ListedObject | undefined;
    }
  /** Keys that are rolled up. Whether any of them has versions was not looked at. */
  | { readonly kind: 'prefix'; readonly prefix: string };

export interface ArchiveStart {
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

/** Behind every hexadecimal digit and `/`: ends whatever goes on with one. */
const AFTER_ALL = '~';
/** What names of an index end with, and what is behind a key's versions and fences but before it. */
const INDEX = '/index.json';
const BEFORE_INDEX = '/index.h';

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
    // The store passes over what it rolls up around the marker: the rest of that is read first. Of a
    // common prefix that was passed there is no rest.
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

  /** What a store rolls a name up to. */
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

/** What stands for all names that go on behind the first delimiter after the prefix. */
export function rollUpOf(
  name: string,
  prefix: string,
  delimiter: string | undefined,
): string | undefined {
  if (delimiter === undefined || !name.startsWith(prefix)) return undefined;
  const at = name.indexOf(delimiter, prefix.length);
  return at === -1 ? undefined : name.slice(0, at + delimiter.length);
}
