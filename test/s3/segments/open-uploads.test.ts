import { expect } from 'chai';
import fc from 'fast-check';
import type { ListedObject, ObjectPage, ObjectQuery } from '../../../src/backend/backend.js';
import { mintUploadId, UPLOAD_ID_BEGINNINGS } from '../../../src/s3/rules/upload-id.js';
import {
  readOpenUploads,
  type ListingBudget,
  type UploadEntry,
} from '../../../src/s3/segments/open-uploads.js';
import { byBytes, expectedPage } from '../../contract/listing-oracle.js';

const FIRST = Date.UTC(2026, 0, 1);
/** Of s3api: base64 of a UUID. */
const FOREIGN_IDS = [
  'NDkzMjE4YzgtNjRiYi00YjJhLWE0MDEtYzVmYjg3YzM3YzZh',
  'ZjJhMWQ3YmMtMDAwMC00YjJhLWE0MDEtYzVmYjg3YzM3YzZh',
];
const IDS = [
  ...Array.from({ length: 6 }, (_, index) => mintUploadId(FIRST + index * 1000)),
  ...FOREIGN_IDS,
];

interface Upload {
  readonly key: string;
  readonly uploadId: string;
  readonly parts: readonly number[];
  /** Without a marker it is an object: what a listing has to pass over. */
  readonly open: boolean;
}

/** Before, at and behind the slash, digits as ids have, and both sides of the surrogates. */
const CHARACTERS = ['a', 'b', '!', '-', '.', '/', '0', '1', 'M', 'ÿ', '\uffee', '😀'];

const key = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 1, maxLength: 5 }),
  },
  { weight: 1, arbitrary: fc.constantFrom(...IDS.map((id) => `a/${id}`), `a/${IDS[0] ?? ''}/x`) },
);

const upload: fc.Arbitrary<Upload> = fc.record({
  key,
  uploadId: fc.constantFrom(...IDS),
  parts: fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { maxLength: 8 }),
  open: fc.boolean(),
});

const uploads = fc.uniqueArray(upload, {
  maxLength: 40,
  selector: (one) => `${one.key}/${one.uploadId}`,
});

const query = fc.record({
  prefix: fc.oneof(fc.constant(''), fc.constantFrom('a', 'a/', '-', 'b.', '😀')),
  delimiter: fc.constantFrom(undefined, '/', '-', 'a', '/0'),
  maxUploads: fc.integer({ min: 1, max: 9 }),
});

/** Small, so that pages end everywhere. */
const budget: fc.Arbitrary<ListingBudget> = fc.record({
  namesPerListing: fc.integer({ min: 1, max: 12 }),
  listingsMax: fc.integer({ min: 1, max: 4 }),
  listingsOfKeyMax: fc.constant(1000),
});

/** The names of these uploads in a store, and how often it was asked. */
class Names {
  readonly #names: readonly string[];
  listings = 0;

  constructor(all: readonly Upload[]) {
    this.#names = all.flatMap(({ key: name, uploadId, parts, open }) => [
      ...(open ? [`${name}/${uploadId}`] : []),
      ...parts.map((part) => `${name}/${uploadId}/${part}`),
    ]);
  }

  readonly list = (asked: ObjectQuery): Promise<ObjectPage> => {
    this.listings++;
    const { shown, truncated } = expectedPage(this.#names, asked);
    const entries = shown.map((text) =>
      text.endsWith('*')
        ? ({ kind: 'prefix', prefix: text.slice(0, -1) } as const)
        : ({ kind: 'object', object: listed(text) } as const),
    );
    return Promise.resolve({ entries, truncated });
  };
}

function listed(name: string): ListedObject {
  return { name, size: 0, etag: '', lastModified: 0, contentType: '', attributes: {} };
}

/** The entries that all pages together have to show. */
function expected(all: readonly Upload[], prefix: string, delimiter?: string): string[] {
  const shown = new Map<string, readonly [name: string, uploadId: string]>();
  for (const { key: name, uploadId, open } of all) {
    if (!open || !name.startsWith(prefix)) continue;
    const at = delimiter === undefined ? -1 : name.indexOf(delimiter, prefix.length);
    if (at === -1) shown.set(`${name} ${uploadId}`, [name, uploadId]);
    else {
      const rollUp = name.slice(0, at + (delimiter ?? '').length);
      shown.set(`${rollUp}*`, [rollUp, '']);
    }
  }
  return [...shown]
    .sort(([, a], [, b]) => byBytes(a[0], b[0]) || byBytes(a[1], b[1]))
    .map(([text]) => text);
}

function textOf(entry: UploadEntry): string {
  return entry.kind === 'upload' ? `${entry.key} ${entry.uploadId}` : `${entry.prefix}*`;
}

/** Follows the pages to their end. */
async function allPages(
  names: Names,
  asked: { prefix: string; delimiter: string | undefined; maxUploads: number },
  limits?: ListingBudget,
): Promise<string[]> {
  const shown: string[] = [];
  let position = { keyMarker: '', uploadIdMarker: '' };
  for (let pages = 0; pages < 10_000; pages++) {
    const page = await readOpenUploads(names.list, { ...asked, ...position }, limits);
    expect(page.entries.length).to.be.at.most(asked.maxUploads);
    shown.push(...page.entries.map(textOf));
    if (page.next === undefined) return shown;
    expect(page.next).to.not.deep.equal(position);
    position = page.next;
  }
  throw new Error('the pages never end');
}

describe('s3 segments: open uploads', () => {
  it('are listed whole and in order, wherever pages end', async () => {
    await fc.assert(
      fc.asyncProperty(uploads, query, budget, async (all, asked, limits) => {
        const shown = await allPages(new Names(all), asked, limits);
        expect(shown).to.deep.equal(expected(all, asked.prefix, asked.delimiter));
      }),
      { numRuns: 600 },
    );
  });

  it('begin behind the markers that a client makes up', async () => {
    const start = fc.record({ keyMarker: key, uploadIdMarker: fc.constantFrom('', ...IDS) });
    await fc.assert(
      fc.asyncProperty(uploads, start, async (all, position) => {
        const asked = { prefix: '', delimiter: undefined, maxUploads: 1000, ...position };
        const { entries, next } = await readOpenUploads(new Names(all).list, asked);
        const { keyMarker, uploadIdMarker } = position;
        const following = expected(all, '').filter((text) => {
          const [name = '', uploadId = ''] = text.split(' ');
          const order = byBytes(name, keyMarker);
          if (order !== 0) return order > 0;
          return uploadIdMarker !== '' && byBytes(uploadId, uploadIdMarker) > 0;
        });
        expect(entries.map(textOf)).to.deep.equal(following);
        expect(next).to.equal(undefined);
      }),
    );
  });

  it('cost a bounded number of listings a page, however many objects lie between them', async () => {
    const finished = Array.from({ length: 1000 }, (_, index) => ({
      key: `done/${String(index).padStart(4, '0')}`,
      uploadId: IDS[0] ?? '',
      parts: [1, 2, 3],
      open: false,
    }));
    const last = { key: 'z', uploadId: IDS[1] ?? '', parts: [1], open: true };
    const names = new Names([...finished, last]);
    const asked = { prefix: '', delimiter: undefined, maxUploads: 1000 };
    const limits = { namesPerListing: 100, listingsMax: 5, listingsOfKeyMax: 10 };
    const position = { keyMarker: '', uploadIdMarker: '' };
    const page = await readOpenUploads(names.list, { ...asked, ...position }, limits);
    expect(page.entries).to.deep.equal([]);
    expect(page.next?.keyMarker).to.match(/^done\/0/);
    // `done`, the key, the marker and the part itself are asked for as keys.
    expect(names.listings).to.be.at.most(limits.listingsMax + 4 * UPLOAD_ID_BEGINNINGS.length);
    expect(await allPages(names, asked, limits)).to.deep.equal([`z ${last.uploadId}`]);
  });

  it('pass over the thousands of parts of one upload', async () => {
    const parts = Array.from({ length: 10_000 }, (_, index) => index + 1);
    const all = ['a', 'b', 'c'].map((name) => ({
      key: name,
      uploadId: IDS[0] ?? '',
      parts,
      open: true,
    }));
    const names = new Names(all);
    const shown = await allPages(names, { prefix: '', delimiter: undefined, maxUploads: 1000 });
    expect(shown).to.deep.equal(expected(all, ''));
    expect(names.listings).to.be.at.most(2 * all.length);
  });
});
