import { performance } from 'node:perf_hooks';
import type { ThreadTask } from '../../server/compute-thread.js';
import { rowsIn } from './listing-rows.js';
import { nameMatcher, PatternError, type SearchMode } from './name-matcher.js';
import type { ObjectRow } from './swift-listing.js';

/** The thread of searches: it reads pages of listings, and compares their names. */

/** The criteria of a search for objects; days are of UTC. */
export interface Wanted {
  readonly q: string;
  readonly mode: SearchMode;
  readonly bytes_min?: number | undefined;
  readonly bytes_max?: number | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface SearchTask {
  readonly name: 'search';
  readonly wanted: Wanted;
  /** A page as Swift sends it; undefined to learn only whether the pattern can be used. */
  readonly listing: Uint8Array | undefined;
  /** The number of hits after which it ends. */
  readonly hitsMax: number;
  /** Milliseconds after which no further name is compared. */
  readonly msMax: number;
}

/** An object that matches. */
export interface SearchHit {
  readonly name: string;
  readonly bytes: number;
  readonly last_modified: string;
}

export type SearchAnswer =
  | {
      readonly kind: 'page';
      readonly rows: number;
      /** The number of rows that were compared, from the first one, and the name of the last of them. */
      readonly scanned: number;
      readonly last: string | undefined;
      readonly hits: readonly SearchHit[];
    }
  | { readonly kind: 'pattern'; readonly problem: string }
  | { readonly kind: 'no_listing' };

/** One page. */
export default function run({ task }: ThreadTask<SearchTask>): SearchAnswer {
  const { wanted, listing, hitsMax, msMax } = task;
  const endsAt = performance.now() + msMax;
  let matches;
  try {
    matches = matcherOf(wanted);
  } catch (error) {
    if (error instanceof PatternError) return { kind: 'pattern', problem: error.message };
    throw error;
  }
  const read = listing === undefined ? [] : rowsIn(listing);
  const rows = read as readonly ObjectRow[] | undefined;
  if (rows === undefined) return { kind: 'no_listing' };
  const hits: SearchHit[] = [];
  let scanned = 0;
  for (const row of rows) {
    if (hits.length === hitsMax || performance.now() >= endsAt) break;
    scanned += 1;
    if (!matches(row)) continue;
    hits.push({ name: row.name, bytes: row.bytes, last_modified: `${row.last_modified}Z` });
  }
  return { kind: 'page', rows: rows.length, scanned, last: rows[scanned - 1]?.name, hits };
}

function matcherOf({ q, mode, bytes_min = 0, bytes_max = Infinity, since = '', until }: Wanted) {
  const fits = nameMatcher(q, mode);
  return ({ name, bytes, last_modified: time }: ObjectRow): boolean => {
    const day = time.slice(0, 10);
    const isInTime = day >= since && (until === undefined || day <= until);
    return isInTime && bytes >= bytes_min && bytes <= bytes_max && fits(name);
  };
}
