import { expect } from 'chai';
import fc from 'fast-check';
import {
  readVersionsPage,
  type VersionsBudget,
} from '../../../../src/s3/versions/listing/versions-page.js';
import { byBytes } from '../../../contract/listing-oracle.js';
import { keyStates, KEY_CHARACTERS } from './arbitrary.js';
import {
  BucketDouble,
  expectedOfKey,
  expectedVersions,
  FIRST_PAGE,
  isBehind,
  textOf,
  WHOLE,
  type KeyState,
} from './support.js';

interface Asked {
  readonly prefix: string;
  readonly delimiter: string | undefined;
  readonly maxKeys: number;
}

const query: fc.Arbitrary<Asked> = fc.record({
  prefix: fc.string({ unit: fc.constantFrom(...KEY_CHARACTERS), maxLength: 3 }),
  delimiter: fc.constantFrom(undefined, '/', '/', '"', 'a', '/a', 'é', '😀', 'r😀'),
  maxKeys: fc.integer({ min: 1, max: 9 }),
});

/** Small, so that listings end and pages are cut everywhere. */
const budget: fc.Arbitrary<VersionsBudget> = fc.record({
  namesPerListing: fc.integer({ min: 1, max: 12 }),
  callsMax: fc.constantFrom(1, 2, 5, 1000),
});

/** Follows the pages to their end. */
async function allPages(
  bucket: BucketDouble,
  asked: Asked,
  limits?: VersionsBudget,
): Promise<string[]> {
  const shown: string[] = [];
  const positions = new Set<string>();
  let position = { keyMarker: '', versionIdMarker: '' };
  for (;;) {
    const page = await readVersionsPage(bucket.source, { ...asked, ...position }, limits);
    expect(page.entries.length).to.be.at.most(asked.maxKeys);
    shown.push(...page.entries.map(textOf));
    if (page.next === undefined) return shown;
    position = page.next;
    // Each page gets on: no position comes twice.
    expect(positions).to.not.include(JSON.stringify(position));
    positions.add(JSON.stringify(position));
  }
}

describe('s3 versions: listing', () => {
  it('tells all versions in order, wherever pages end', async () => {
    await fc.assert(
      fc.asyncProperty(keyStates, query, fc.boolean(), async (states, asked, isStrong) => {
        const bucket = new BucketDouble(states, isStrong);
        expect(await allPages(bucket, asked)).to.deep.equal(expectedVersions(states, asked));
      }),
      { numRuns: 500 },
    );
  });

  it('tells them however small the listings and however early pages are cut', async () => {
    await fc.assert(
      fc.asyncProperty(keyStates, query, budget, async (states, asked, limits) => {
        const shown = await allPages(new BucketDouble(states), asked, limits);
        expect(shown).to.deep.equal(expectedVersions(states, asked));
      }),
      { numRuns: 500 },
    );
  });

  it('repairs what lags behind, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(keyStates, fc.integer({ min: 1, max: 9 }), async (states, maxKeys) => {
        const bucket = new BucketDouble(states);
        await allPages(bucket, { prefix: '', delimiter: undefined, maxKeys });
        const behind = states.filter(isBehind).map(({ key }) => key);
        expect([...bucket.repaired].sort()).to.deep.equal(behind.sort());
      }),
    );
  });

  it('begins behind the markers that a client makes up', async () => {
    const marker = fc.string({ unit: fc.constantFrom(...KEY_CHARACTERS), maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(keyStates, query, marker, async (states, asked, keyMarker) => {
        const position = { ...asked, maxKeys: 1000, keyMarker, versionIdMarker: '' };
        const page = await readVersionsPage(new BucketDouble(states).source, position);
        // A common prefix that the marker lies in is not greater than the marker: AWS leaves it out.
        const following = expectedVersions(states, asked).filter(
          (text) => byBytes(nameIn(text), keyMarker) > 0,
        );
        expect(page.entries.map(textOf)).to.deep.equal(following);
        expect(page.next).to.equal(undefined);
      }),
    );
  });

  it('goes on behind any version of a key', async () => {
    await fc.assert(
      fc.asyncProperty(keyStates, fc.nat(), async (states, choice) => {
        const shown = expectedVersions(states, { prefix: '' });
        const at = choice % (shown.length + 1);
        const [keyMarker = '', versionIdMarker = ''] = shown[at - 1]?.split(' ') ?? [];
        const position = { ...WHOLE, keyMarker, versionIdMarker };
        const page = await readVersionsPage(new BucketDouble(states).source, position);
        expect(page.entries.map(textOf)).to.deep.equal(shown.slice(at));
      }),
    );
  });

  it('goes on in time behind a version that is gone', async () => {
    await fc.assert(
      fc.asyncProperty(keyStates, fc.nat(), async (states, choice) => {
        const gone = states[choice % states.length];
        const removed = gone?.index?.entries.find(({ id }) => id !== 'null');
        if (gone?.index === undefined || removed === undefined) return;
        const entries = gone.index.entries.filter((entry) => entry !== removed);
        const state: KeyState = { ...gone, index: { ...gone.index, entries }, told: 'summary' };
        const left = entries.filter(({ name }) => name > removed.name).map(({ id }) => id);

        const position = { keyMarker: gone.key, versionIdMarker: removed.id };
        const asked = { prefix: gone.key, delimiter: undefined, maxKeys: 1000, ...position };
        const { entries: shown } = await readVersionsPage(new BucketDouble([state]).source, asked);
        const hidden = state.current === 'plain' ? left.filter((id) => id !== 'null') : left;
        const ids = shown.map((entry) => entry.kind !== 'prefix' && entry.versionId);
        expect(ids).to.deep.equal(hidden);
      }),
    );
  });

  it('tells all versions again behind a null version that is gone', async () => {
    await fc.assert(
      fc.asyncProperty(keyStates, async ([state]) => {
        if (state?.index === undefined || state.current === 'plain') return;
        if (state.index.entries.some(({ id }) => id === 'null')) return;
        const position = { keyMarker: state.key, versionIdMarker: 'null' };
        const asked = { ...WHOLE, ...position };
        const { entries } = await readVersionsPage(new BucketDouble([state]).source, asked);
        expect(entries.map(textOf)).to.deep.equal(expectedOfKey(state));
      }),
    );
  });

  it('tells nothing with max-keys 0, of a bucket that is there', async () => {
    const bucket = new BucketDouble([]);
    const page = await readVersionsPage(bucket.source, { ...FIRST_PAGE, maxKeys: 0 });
    expect(page).to.deep.equal({ entries: [], next: undefined });
    expect(bucket.calls).to.deep.equal(['head bucket']);
  });
});

/** Of an entry's text: its key or common prefix. */
function nameIn(text: string): string {
  return text.endsWith('*') ? text.slice(0, -1) : (text.split(' ')[0] ?? '');
}
