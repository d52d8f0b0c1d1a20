import type { CallContext } from './call-context.js';
import type { ListedObject, ObjectPage, ObjectQuery } from './object-listing.js';
import type { ContainerRef, Metadata } from './refs.js';

/** The readers of pages that a store leaves unread: `workers/page-readers.ts` knows them. */
export type PageReaderName = 'embedded' | 'swift';

/**
 * A long page of a listing that is still unread, with what a thread needs to read it, so that the
 * event loop need not. Post it once, since the contents of `transfer` are moved.
 */
export interface UnreadPage {
  readonly reader: PageReaderName;
  /** For that reader: plain data that can be posted. */
  readonly data: unknown;
  readonly transfer: readonly ArrayBuffer[];
}

/** The listings of a store that can leave pages to a thread. */
export interface UnreadListings {
  /**
   * As `listObjects`, with a long page unread.
   * @throws as listObjects
   */
  listUnread?(
    context: CallContext,
    ref: ContainerRef,
    query: ObjectQuery,
  ): Promise<ObjectPage | UnreadPage>;
}

/** An object as visitors see it: without its type, which S3's listings do not have. */
export type VisitedObject = Omit<ListedObject, 'contentType'>;

/** The attributes of an object that has none; stores may show any other empty record. */
export const NO_ATTRIBUTES: Metadata = Object.freeze({});

/** Is shown the entries of a page, in their order. */
export interface EntryVisitor {
  /** @param object may be another one after the call: nothing of it is to be kept */
  object(object: VisitedObject): void;
  prefix(prefix: string): void;
}

/** Reads what its store left unread. @throws BackendError */
export interface PageReader<Data = unknown> {
  read(data: Data): ObjectPage;
  /** The same, entry by entry. @returns whether more follow */
  visit(data: Data, visitor: EntryVisitor): boolean;
}

/**
 * A page of fewer entries is read at once: that takes the loop as long as it takes to hand a page
 * over, some 60 µs.
 */
export const UNREAD_ENTRIES_MIN = 128;

/** Shows a visitor what was read. */
export function showEntries(entries: ObjectPage['entries'], visitor: EntryVisitor): void {
  for (const entry of entries) {
    if (entry.kind === 'object') visitor.object(entry.object);
    else visitor.prefix(entry.prefix);
  }
}

export function isUnread(page: ObjectPage | UnreadPage): page is UnreadPage {
  return 'reader' in page;
}
