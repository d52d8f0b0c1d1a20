import { ApiError } from '../../server/api-error.js';
import type { ComputeThread } from '../../server/compute-thread.js';
import { UpstreamError } from '../../swift/errors.js';
import type { SwiftAccount } from '../../swift/account.js';
import type { SearchAnswer, SearchHit, SearchTask, Wanted } from './search-thread.js';
import { LISTING_LIMIT, readListing } from './swift-listing.js';

/** The last line: how far the search came. */
export interface SearchEnd {
  /** The number of names that were looked at. */
  readonly scanned: number;
  readonly truncated: boolean;
  /** Where it goes on; null at the end. */
  readonly next_marker: string | null;
}

/** The last line of a search that failed. */
export interface SearchFailure {
  readonly error: { readonly code: string; readonly message: string; readonly request_id: string };
}

/** Where is searched, and for how many pages of the listing. */
interface SearchPlace {
  readonly container: string;
  readonly prefix: string;
  readonly marker?: string | undefined;
  readonly pages_max: number;
}

export type Comparer = Pick<ComputeThread<SearchTask, SearchAnswer>, 'run'>;

const HITS_MAX = 1000;
/** An ordinary pattern takes a few tens of milliseconds for a page. */
const PAGE_MS_MAX = 2000;

/** @throws ApiError invalid_argument for a pattern that is malformed; busy */
export async function checkPattern(thread: Comparer, wanted: Wanted): Promise<void> {
  const task = { name: 'search', wanted, listing: undefined, hitsMax: 0, msMax: 0 } as const;
  const answer = await thread.run(task);
  if (answer.kind === 'pattern') throw new ApiError('invalid_argument', answer.problem);
}

/**
 * Swift has no search: this reads listings within limits, and ends with a line that says how far it
 * came. Names are compared by the thread, so that no pattern keeps others waiting.
 *
 * @param signal aborted when the time is over, and when the reader has left
 * @throws ApiError unprocessable for a pattern that takes too long, busy; UpstreamError and the like
 */
export async function* search(
  store: SwiftAccount,
  thread: Comparer,
  { container, prefix, marker: start, pages_max: pagesMax }: SearchPlace,
  wanted: Wanted,
  signal: AbortSignal,
): AsyncGenerator<SearchHit | SearchEnd> {
  let marker = start;
  let scanned = 0;
  let left = HITS_MAX;
  for (let page = 0; page < pagesMax && !signal.aborted; page++) {
    const query = { prefix: prefix || undefined, marker, limit: LISTING_LIMIT };
    const compared = await orAborted(signal, async () => {
      const listing = await readListing(store, container, query, signal);
      const task = { name: 'search', wanted, listing, hitsMax: left, msMax: PAGE_MS_MAX } as const;
      return thread.run(task, { signal });
    });
    if (compared === undefined) break;
    if (compared.kind !== 'page') throw new UpstreamError('invalid');
    yield* compared.hits;
    scanned += compared.scanned;
    marker = compared.last ?? marker;
    left -= compared.hits.length;
    if (left === 0) break;
    if (compared.scanned < compared.rows) throw tooSlow();
    if (compared.rows < LISTING_LIMIT) {
      yield { scanned, truncated: false, next_marker: null };
      return;
    }
  }
  yield { scanned, truncated: true, next_marker: marker ?? null };
}

/** @returns undefined where the time was over before the work was done */
async function orAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function tooSlow(): ApiError {
  return new ApiError(
    'unprocessable',
    'Comparing names with this pattern takes too long: look for something simpler.',
  );
}
