import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  FencedProtocol,
  type Attempt,
  type CommitProtocol,
} from '../../../src/s3/versions/fenced-protocol.js';
import type { IndexStore } from '../../../src/s3/versions/index-store.js';
import { runRace, type Race } from './race.js';
import type { Act } from './race-rules.js';

const ACTS: readonly Act[] = [
  'put',
  'put',
  'put-null',
  'mark',
  'mark-null',
  'delete',
  'delete',
  'delete-null',
  'lock',
  'read',
  'plain',
];
/** More of them find what is rarer: 30,000 take some minutes. */
const RUNS = Number(process.env.RINGWAY_RACES ?? 150);
/** Races without crashes, each in another order, to find a planted bug in. */
const PLANTED_RUNS = 200;
const DAY_MS = 86_400_000;

/** Those that meet an object from before the versions. */
const ADOPTING: readonly Act[] = [
  'put',
  'put',
  'put-null',
  'mark',
  'delete-null',
  'delete-null',
  'find-null',
  'find-null',
  'read',
];

/** Several of these by one gateway postpone indexes. */
const POSTPONING: readonly Act[] = [
  'put',
  'put',
  'put',
  'put',
  'mark',
  'delete',
  'lock',
  'read',
  'write-postponed',
  'plain',
];

/** They meet the first link of a key, which may come late. */
const EMPTYING: readonly Act[] = ['put', 'put', 'mark', 'delete', 'read'];

function races(strength: Race['strength'], acts = ACTS, actsMax = 4): fc.Arbitrary<Race> {
  const gateway = fc.array(fc.constantFrom(...acts), { minLength: 1, maxLength: actsMax });
  const crash = fc.record({ gateway: fc.nat({ max: 3 }), after: fc.nat({ max: 120 }) });
  return fc.record({
    strength: fc.constant(strength),
    postpones: fc.boolean(),
    fixedLinks: fc.boolean(),
    linksBehind: fc.boolean(),
    gateways: fc.array(gateway, { minLength: 2, maxLength: 4 }),
    crashes: fc.array(crash, { maxLength: 2 }),
    seed: fc.integer(),
  });
}

describe('s3/versions: races', () => {
  for (const strength of ['strong', 'chained', 'ordered'] as const) {
    it(`loses nothing on a ${strength} store`, async function () {
      this.timeout(RUNS * 200);
      await fc.assert(
        fc.asyncProperty(races(strength), async (race) => {
          const { violations, told, index } = await runRace(race);
          expect(violations, JSON.stringify({ violations, told, index })).to.have.lengthOf(0);
        }),
        { numRuns: RUNS },
      );
    });
  }

  for (const strength of ['strong', 'chained', 'ordered'] as const) {
    it(`ends an object from before the versions once, on a ${strength} store`, async function () {
      this.timeout(RUNS * 200);
      await fc.assert(
        fc.asyncProperty(races(strength, ADOPTING), async (race) => {
          const { violations, told, index } = await runRace({ ...race, before: ['plain'] });
          expect(violations, JSON.stringify({ violations, told, index })).to.have.lengthOf(0);
        }),
        { numRuns: RUNS },
      );
    });
  }

  for (const before of [[], ['plain']] as const) {
    const what = before.length === 0 ? 'no object' : 'an object';
    it(`loses nothing without a look at a key with ${what}, on an ordered store`, async function () {
      this.timeout(RUNS * 200);
      const acts = before.length === 0 ? ACTS : ADOPTING;
      await fc.assert(
        fc.asyncProperty(races('ordered', acts), async (race) => {
          const unlooked = { ...race, before, plainUnlikely: true };
          const { violations, told, index } = await runRace(unlooked);
          expect(violations, JSON.stringify({ violations, told, index })).to.have.lengthOf(0);
        }),
        { numRuns: RUNS },
      );
    });
  }

  it('loses nothing where indexes are written later than their fences', async function () {
    this.timeout(RUNS * 400);
    await fc.assert(
      fc.asyncProperty(races('ordered', POSTPONING, 8), async (race) => {
        const { violations, told, index } = await runRace({ ...race, postpones: true });
        expect(violations, JSON.stringify({ violations, told, index })).to.have.lengthOf(0);
      }),
      { numRuns: RUNS },
    );
  });

  it('loses nothing on an ordered store with an older filter', async function () {
    this.timeout(RUNS * 200);
    await fc.assert(
      fc.asyncProperty(races('ordered', POSTPONING), fc.boolean(), async (race, plainUnlikely) => {
        const older = { ...race, plainUnlikely, creationsUnordered: true };
        const { violations, told, index } = await runRace(older);
        expect(violations, JSON.stringify({ violations, told, index })).to.have.lengthOf(0);
      }),
      { numRuns: RUNS },
    );
  });

  it('loses nothing of keys that are new, and emptied at once', async function () {
    this.timeout(RUNS * 200);
    await fc.assert(
      fc.asyncProperty(races('ordered', EMPTYING, 3), async (race) => {
        const { violations, told, index } = await runRace({ ...race, plainUnlikely: true });
        expect(violations, JSON.stringify({ violations, told, index })).to.have.lengthOf(0);
      }),
      { numRuns: RUNS },
    );
  });

  it('loses nothing on an ordered store whose objects are old', async function () {
    this.timeout(RUNS * 200);
    const aged = { before: ['put', 'put'], ageMs: 10 * DAY_MS } as const;
    await fc.assert(
      fc.asyncProperty(races('ordered'), async (race) => {
        const { violations, told, index } = await runRace({ ...race, ...aged });
        expect(violations, JSON.stringify({ violations, told, index })).to.have.lengthOf(0);
      }),
      { numRuns: RUNS },
    );
  });

  const planted: Readonly<Record<string, Omit<Race, 'gateways' | 'seed'>>> = {
    'a store that is weak and says that it is strong': { strength: 'weak', claims: 'strong' },
    'a store that is weak and says that fences are atomic': { strength: 'weak', claims: 'chained' },
    'commits without a fence': {
      strength: 'chained',
      protocol: (store) => new NotFenced(store),
    },
  };
  for (const [bug, race] of Object.entries(planted)) {
    it(`finds ${bug}`, async () => {
      const gateways: Act[][] = [
        ['put', 'mark', 'put'],
        ['put', 'put', 'delete'],
        ['put', 'delete', 'put'],
      ];
      for (let seed = 0; seed < PLANTED_RUNS; seed++) {
        if ((await runRace({ ...race, gateways, seed })).violations.length > 0) return;
      }
      expect.fail(`not in ${PLANTED_RUNS} races`);
    });
  }
});

/** Writes the index, whoever else is at it. */
class NotFenced extends FencedProtocol {
  readonly #store: IndexStore;

  constructor(store: IndexStore) {
    super(store);
    this.#store = store;
  }

  override async attempt(
    ...[call, of, before, commit, next]: Parameters<CommitProtocol['attempt']>
  ) {
    const stored = await this.#store.writeIndex(call, of, next, before);
    if (stored === undefined) return { outcome: 'overtaken', commit } satisfies Attempt;
    return { outcome: 'committed', stored } satisfies Attempt;
  }
}
