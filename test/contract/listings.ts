import { expect } from 'chai';
import fc from 'fast-check';
import type { ContainerRef, ObjectPage, ObjectQuery } from '../../src/backend/backend.js';
import { CONTEXT, type Fixture, freshContainer, inputOf } from './fixture.js';
import { allPages, byBytes, expectedPage, shown } from './listing-oracle.js';

/** Where UTF-16 order and UTF-8 order differ, and where prefixes, delimiters and ends lie close. */
const PIECES = [
  ...['a', 'b', 'ab', '/', '//', '0', '.', '-', ' ', '+', '%', '?', '#', '..', '\u0001', '\u007f'],
  ...['é', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10000}', '\u{10ffff}'],
];

const text = (max: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...PIECES), { maxLength: max }).map((pieces) => pieces.join(''));

const namesArbitrary = fc.uniqueArray(
  text(6).filter((name) => name !== ''),
  { maxLength: 30 },
);

const queriesArbitrary = fc.array(
  fc.record({
    prefix: text(2),
    delimiter: text(2),
    marker: text(4),
    limit: fc.integer({ min: 1, max: 8 }),
  }),
  { minLength: 10, maxLength: 10 },
);

export function describeListings(fixture: Fixture): void {
  const list = (ref: ContainerRef, query: ObjectQuery): Promise<ObjectPage> =>
    fixture.backend.listObjects(CONTEXT, ref, query);

  async function containerWith(names: readonly string[]): Promise<ContainerRef> {
    const ref = await freshContainer(fixture);
    await Promise.all(
      names.map((object) => fixture.backend.putObject(CONTEXT, { ...ref, object }, inputOf(''))),
    );
    return ref;
  }

  describe('listings', () => {
    it('of an empty container are empty', async () => {
      const page = await list(await containerWith([]), { limit: 10 });
      expect(page).to.deep.equal({ entries: [], truncated: false });
    });

    it('are in the byte order of UTF-8, not of UTF-16', async () => {
      const names = ['\u{10000}', '\uffff', '\ue000', 'é', 'z', 'Z', '~'];
      const { entries } = await list(await containerWith(names), { limit: 10 });
      expect(shown(entries)).to.deep.equal(['Z', 'z', '~', 'é', '\ue000', '\uffff', '\u{10000}']);
    });

    it('say exactly whether more follows', async () => {
      const ref = await containerWith(['a', 'b/1', 'b/2', 'c']);
      for (const [limit, truncated] of [
        [1, true],
        [2, true],
        [3, false],
        [4, false],
      ] as const) {
        const page = await list(ref, { limit, delimiter: '/' });
        expect(page.truncated, String(limit)).to.equal(truncated);
        expect(page.entries).to.have.length(Math.min(limit, 3));
      }
      // The names left belong to the roll-up that ends the page: nothing follows.
      const last = await list(ref, { limit: 1, delimiter: '/', prefix: 'b' });
      expect([shown(last.entries), last.truncated]).to.deep.equal([['b/*'], false]);
    });

    it('skip everything below a roll-up that the marker lies in', async () => {
      const ref = await containerWith(['a', 'b', 'b/1', 'b/2/3', 'b0', 'c']);
      for (const marker of ['b/', 'b/1', 'b/2/3', 'b/zzz']) {
        const { entries } = await list(ref, { limit: 10, delimiter: '/', marker });
        expect(shown(entries), marker).to.deep.equal(['b0', 'c']);
      }
      const { entries } = await list(ref, { limit: 10, delimiter: '/', marker: 'b' });
      expect(shown(entries)).to.deep.equal(['b/*', 'b0', 'c']);
    });

    it('do not show a neighbouring container', async () => {
      const [first, second] = [await containerWith(['a', 'z']), await containerWith(['b'])];
      expect(shown((await list(first, { limit: 10 })).entries)).to.deep.equal(['a', 'z']);
      expect(shown((await list(second, { limit: 10, marker: 'a' })).entries)).to.deep.equal(['b']);
      const past = await list(first, { limit: 10, marker: 'zz' });
      expect(past).to.deep.equal({ entries: [], truncated: false });
    });

    it('take prefixes and markers longer than any name', async () => {
      const ref = await containerWith(['a', 'b']);
      const long = 'a'.repeat(5000);
      expect(shown((await list(ref, { limit: 10, marker: long })).entries)).to.deep.equal(['b']);
      expect((await list(ref, { limit: 10, prefix: long })).entries).to.deep.equal([]);
    });

    it('have pages of up to 10,000 entries, and many roll-ups', async () => {
      const count = fixture.options.longListing ?? 2500;
      const names = Array.from({ length: count }, (_, i) => `d${i % (count / 2)}/file-${i}`);
      const ref = await containerWith(names);
      const all = await list(ref, { limit: 10_000 });
      expect(shown(all.entries)).to.deep.equal([...names].sort(byBytes));
      expect(all.truncated).to.be.false;
      const query = { delimiter: '/', limit: 10_000 };
      const rolledUp = await list(ref, query);
      expect(shown(rolledUp.entries)).to.deep.equal(expectedPage(names, query).shown);
      expect(rolledUp.entries).to.have.length(count / 2);
      const paged = await allPages((each) => list(ref, each), { limit: count * 0.4 });
      expect([paged.entries.length, paged.pages]).to.deep.equal([count, 3]);
    });

    it('are what an oracle says, for any names and queries', async () => {
      const property = fc.asyncProperty(
        namesArbitrary,
        queriesArbitrary,
        async (names, queries) => {
          const ref = await containerWith(names);
          for (const query of queries) {
            const page = await list(ref, query);
            const wanted = expectedPage(names, query);
            const got = { shown: shown(page.entries), truncated: page.truncated };
            expect(got, JSON.stringify(query)).to.deep.equal(wanted);
          }
        },
      );
      await fc.assert(property, { numRuns: fixture.options.listingRuns ?? 60 });
    });

    it('concatenate to the truth for every page size', async () => {
      const property = fc.asyncProperty(
        namesArbitrary,
        text(2),
        text(1),
        async (names, prefix, delimiter) => {
          const ref = await containerWith(names);
          const whole = expectedPage(names, { prefix, delimiter, limit: 10_000 }).shown;
          for (let limit = 1; limit <= whole.length + 1; limit++) {
            const query = { prefix, delimiter, limit };
            const { entries, pages } = await allPages((each) => list(ref, each), query);
            expect(shown(entries)).to.deep.equal(whole);
            expect(pages).to.equal(Math.max(1, Math.ceil(whole.length / limit)));
          }
        },
      );
      await fc.assert(property, { numRuns: fixture.options.listingRuns ?? 60 });
    });
  });
}
