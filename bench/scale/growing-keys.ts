import { join } from 'node:path';
import { openEmbeddedStore } from '../../src/backend/embedded/index.js';
import { md5Hex } from '../dialects/hashes.js';
import { bodyOf } from '../rows/bodies.js';
import { placesIn, type GrowthStudy } from './growth.js';
import { ACCOUNT, type Subject } from './service.js';

const FOLDERS = 100;
const BODY_BYTES = 64;
const PAGE_KEYS = 1000;

/** How many writes share a commit: the store is filled, not measured. */
const FILL_IN_FLIGHT = 512;

/** Different requests of each operation. */
const REQUESTS = 500;
const PAGES = 32;

/** Keys in the order in which they are written: each folder grows. */
function keyOf(index: number): string {
  return `folder-${String(index % FOLDERS).padStart(3, '0')}/${String(index).padStart(9, '0')}`;
}

/** A bucket with more and more keys, in a hundred folders. */
export function growingKeys(): GrowthStudy {
  let filled = 0;
  return {
    study: 'keys',
    title: 'A bucket grows',
    unit: 'keys',
    grow: async (subject, size) => {
      await fill(subject, filled, size);
      filled = size;
    },
    operations: [
      {
        operation: 'list-1000',
        title: 'a page of 1000 keys from anywhere',
        prepare: ({ dialect, bucket }, size) =>
          // Pages begin where a thousand keys follow, if there are so many.
          placesIn(Math.max(1, size - PAGE_KEYS), PAGES).map((place) => {
            const startAfter = keyOf(indexOfPlace(place, size));
            const query = { bucket, prefix: '', keysMax: PAGE_KEYS, startAfter };
            const expected = Math.min(PAGE_KEYS, size - 1 - place);
            return dialect.list(query, (body) =>
              pageProblem(dialect.readPage(body).names.length, expected),
            );
          }),
      },
      {
        operation: 'list-folders',
        title: 'the hundred folders, by a delimiter',
        prepare: ({ dialect, bucket }) => {
          const query = { bucket, prefix: '', keysMax: PAGE_KEYS, delimiter: '/' };
          const check = (body: Buffer) => pageProblem(dialect.readPage(body).names.length, FOLDERS);
          return [dialect.list(query, check)];
        },
      },
      {
        operation: 'get',
        title: 'GET of an object',
        prepare: ({ dialect, bucket }, size) =>
          placesIn(size, REQUESTS).map((i) => dialect.get(bucket, keyOf(i), bodyOf(BODY_BYTES, i))),
      },
      {
        operation: 'put',
        title: 'PUT over an object',
        prepare: ({ dialect, bucket }, size) =>
          placesIn(size, REQUESTS).map((i) =>
            dialect.put(bucket, keyOf(i), bodyOf(BODY_BYTES, i), true),
          ),
      },
    ],
  };
}

/** The key that a listing has in this place: by folder, then by number. */
function indexOfPlace(place: number, size: number): number {
  let left = place;
  for (let folder = 0; folder < FOLDERS; folder++) {
    const inFolder = Math.floor((size - folder - 1) / FOLDERS) + 1;
    if (left < inFolder) return folder + left * FOLDERS;
    left -= inFolder;
  }
  return size - 1;
}

function pageProblem(found: number, expected: number): string | undefined {
  return found === expected ? undefined : `the page has ${found} entries, not ${expected}`;
}

/** Through the store's own API: a million requests would say nothing more, and take long. */
async function fill({ service, bucket }: Subject, from: number, to: number): Promise<void> {
  const store = await openEmbeddedStore({ directory: join(service.dataDir, 'store') });
  const context = { requestId: 'bench' };
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < to) {
      const i = next++;
      const body = bodyOf(BODY_BYTES, i);
      const etag = md5Hex(body);
      await store.putObject(
        context,
        { account: ACCOUNT, container: bucket, object: keyOf(i) },
        {
          size: body.length,
          contentType: 'application/octet-stream',
          systemMetadata: { 's3api-etag': etag },
          seal: () => ({ etag }),
          body,
        },
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: FILL_IN_FLIGHT }, lane));
  } finally {
    await store.close();
  }
}
