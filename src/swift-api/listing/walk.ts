import type { ListingQuery } from './listing-query.js';

/**
 * A page of a listing in all of Swift's ways, out of a store that lists forwards and from a marker:
 * of objects, which it rolls up itself, and of containers.
 */

export interface Entry<Item> {
  /** The name that it is sorted by: its own, or that of the roll-up. */
  readonly name: string;
  /** Undefined of a roll-up. */
  readonly item: Item | undefined;
}

export interface Page<Item> {
  readonly entries: readonly Entry<Item>[];
  /** The last name that the store gave, also when it is no entry; undefined: it gave none. */
  readonly last: string | undefined;
  readonly truncated: boolean;
}

/** Entries behind a marker, in byte order. */
export type ReadPage<Item> = (marker: string, limit: number) => Promise<Page<Item>>;

const PAGE = 1000;

/**
 * Backwards the whole range is gone through, since the store cannot; no more than a page of it is
 * held at any time.
 */
export async function listPage<Item>(
  read: ReadPage<Item>,
  query: ListingQuery,
): Promise<readonly Entry<Item>[]> {
  const { limit, reverse, marker, endMarker } = query;
  if (limit === 0) return [];
  if (reverse) return listBackwards(read, limit, endMarker, marker);
  const entries: Entry<Item>[] = [];
  for (let from = marker; ;) {
    const page = await read(from, Math.min(limit - entries.length, PAGE_MAX));
    for (const entry of page.entries) {
      if (endMarker !== '' && !isBefore(entry.name, endMarker)) return entries;
      entries.push(entry);
      if (entries.length === limit) return entries;
    }
    if (!page.truncated || page.last === undefined) return entries;
    from = page.last;
  }
}

/** The most entries that a store gives at once. */
const PAGE_MAX = 10_000;

/** @param after - names behind it @param before - names before it; empty: all */
async function listBackwards<Item>(
  read: ReadPage<Item>,
  limit: number,
  after: string,
  before: string,
): Promise<readonly Entry<Item>[]> {
  let kept: Entry<Item>[] = [];
  for (let from = after; ;) {
    const page = await read(from, PAGE);
    const inside =
      before === '' ? page.entries : page.entries.filter(({ name }) => isBefore(name, before));
    kept = [...kept, ...inside].slice(-limit);
    if (!page.truncated || page.last === undefined || inside.length < page.entries.length) break;
    from = page.last;
  }
  return kept.reverse();
}

/** Compares in the byte order of UTF-8, which is not that of JavaScript's strings. */
export function isBefore(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
}
