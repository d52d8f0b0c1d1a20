import type { ObjectQuery } from '../object-listing.js';
import type { PageReader } from '../unread-page.js';
import { asBackendError } from './lmdb-error.js';
import { readObjects, visitObjects } from './object-listing.js';
import { openTablesInThread, refresh, type Tables } from './tables.js';

/** A page in a store's index, for a thread with a view of its own of it. */
export interface UnreadRange {
  /** Path of the index. */
  readonly index: string;
  readonly mapBytes: number;
  readonly containerId: number;
  readonly query: ObjectQuery;
}

/** One for each store that this thread has read from; closed by lmdb-js when the thread ends. */
const views = new Map<string, Tables>();

/**
 * Reads pages on a thread, from snapshots that are not older than the call. The process has the index
 * open already, and its event loop has found the container.
 */
export const rangeReader: PageReader<UnreadRange> = {
  read(range) {
    return inView(range, (view) => readObjects(view, range.containerId, range.query));
  },
  visit(range, visitor) {
    return inView(range, (view) => visitObjects(view, range.containerId, range.query, visitor));
  },
};

/** @throws BackendError */
function inView<T>(range: UnreadRange, read: (view: Tables) => T): T {
  try {
    const view = viewOf(range);
    refresh(view);
    try {
      return read(view);
    } finally {
      // A snapshot that is kept would keep LMDB from using freed pages again.
      refresh(view);
    }
  } catch (error) {
    throw asBackendError(error);
  }
}

function viewOf({ index, mapBytes }: UnreadRange): Tables {
  const known = views.get(index);
  if (known !== undefined) return known;
  const opened = openTablesInThread(index, mapBytes);
  views.set(index, opened);
  return opened;
}
