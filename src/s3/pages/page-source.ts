import type { Backend, CallContext, ContainerRef, ObjectQuery } from '../../backend/backend.js';
import type { EntryVisitor } from '../../backend/unread-page.js';
import type { VersionedKey } from '../versions/names.js';
import type { VersionIndex } from '../versions/version-entry.js';

/** The part of a store that pages are read from. */
export type ListingBackend = Pick<
  Backend,
  'capabilities' | 'listObjects' | 'listUnread' | 'headContainer'
> &
  Partial<VisitedListings>;

/** The listings as a thread visits them, which does nothing else meanwhile. */
export interface VisitedListings {
  /**
   * Shows the entries of a page one after the other.
   * @returns whether more follow
   * @throws as `listObjects`
   */
  visitObjects(
    call: CallContext,
    ref: ContainerRef,
    query: ObjectQuery,
    visitor: EntryVisitor,
  ): Promise<boolean>;
}

/**
 * The source that pages are read from: on the event loop the store itself, on a thread the data
 * that the loop hands over.
 */
export interface PageSource {
  readonly backend: ListingBackend;
  readonly call: CallContext;
  /** Generation 0 without an index. */
  readonly readIndex: (call: CallContext, of: VersionedKey) => Promise<VersionIndex>;
  /** Brings what stands at the key in step with its index; harmless when it is. */
  readonly repairLink: (call: CallContext, of: VersionedKey) => Promise<void>;
}

/** The bucket that is listed. All of a page's parameters are plain data that can be posted. */
export interface ListedBucket {
  readonly account: string;
  readonly bucket: string;
}
