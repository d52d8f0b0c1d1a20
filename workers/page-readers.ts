import type { PageReader, PageReaderName } from '../src/backend/unread-page.js';

/** How each store's pages are read; loaded with the first of them, and LMDB only where it is used. */
const READERS: Readonly<Record<PageReaderName, () => Promise<PageReader>>> = {
  embedded: async () => {
    const { rangeReader } = await import('../src/backend/embedded/page-reader.js');
    return rangeReader;
  },
  swift: async () => {
    const { listingReader } = await import('../src/backend/swift/page-reader.js');
    return listingReader;
  },
};

const loaded = new Map<PageReaderName, Promise<PageReader>>();

export function readerOf(name: PageReaderName): Promise<PageReader> {
  let reader = loaded.get(name);
  if (reader === undefined) loaded.set(name, (reader = READERS[name]()));
  return reader;
}
