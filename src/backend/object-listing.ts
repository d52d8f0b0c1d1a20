import type { Metadata } from './refs.js';

/** Listings of the objects of a container: queries and entries. */

export interface ListedObject {
  readonly name: string;
  readonly size: number;
  readonly etag: string;
  readonly lastModified: number;
  readonly contentType: string;
  /** The attributes given for the entry by its writer (`PutObjectInput.listingAttributes`). */
  readonly attributes: Metadata;
}

export interface ObjectQuery {
  readonly prefix?: string | undefined;
  /** Any length; names are rolled up at its first occurrence behind the prefix. */
  readonly delimiter?: string | undefined;
  /**
   * Entries strictly after this name, in byte order. A roll-up counts as the name it shows: a
   * marker equal to it, or with it as prefix, skips everything below it.
   */
  readonly marker?: string | undefined;
  /** At most this many objects and roll-ups together, 1 to 10,000. */
  readonly limit: number;
}

export type ListingEntry =
  | { readonly kind: 'object'; readonly object: ListedObject }
  | { readonly kind: 'prefix'; readonly prefix: string };

export interface ObjectPage {
  /** The entries, in byte order of the name or prefix. */
  readonly entries: readonly ListingEntry[];
  /** True when another entry follows the last one of this page. */
  readonly truncated: boolean;
}
