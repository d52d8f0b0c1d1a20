import { scratch } from '../../lib/buffers/scratch-memory.js';
import type { PageReader } from '../unread-page.js';
import { pageOfListed, parseListed, readListed, type Listed } from './listed-page.js';

/** A listing as it arrived from Swift. */
export interface UnreadListing {
  /** A piece of scratch memory, the reader's from now on. */
  readonly memory: ArrayBuffer;
  /** Bytes of JSON in it. */
  readonly length: number;
  /** Entries of the page: the listing may have one more, which says that another page follows. */
  readonly limit: number;
}

/** Reads pages on a thread. */
export const listingReader: PageReader<UnreadListing> = {
  read(listing) {
    const items = itemsOf(listing);
    return pageOfListed(items.slice(0, listing.limit), items.length > listing.limit);
  },
  visit(listing, visitor) {
    const items = itemsOf(listing);
    let left = listing.limit;
    for (const item of items) {
      if (left-- === 0) return true;
      if (item.subdir === undefined) visitor.object(readListed(item));
      else visitor.prefix(item.subdir);
    }
    return false;
  },
};

function itemsOf({ memory, length }: UnreadListing): readonly Listed[] {
  const bytes = Buffer.from(memory);
  const text = bytes.toString('utf8', 0, length);
  scratch.give(bytes);
  return parseListed(text);
}
