import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  FencedProtocol,
  type Attempt,
  type CommitProtocol,
} from '../../../src/s3/versions/fenced-protocol.js';
import type { IndexStore } from '../../../src/s3/versions/index-store.js';
import { expectSound, runRace, type Race } from './race.js';
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

/** @param msPerRun its limit, as a mean */
function losesNothing(title: string, of: fc.Arbitrary<Race>, msPerRun = 200): void {
  it(title, async function () {
    this.timeout(RUNS * msPerRun);
    await fc.assert(fc.asyncProperty(of, expectSound), { numRuns: RUNS });
  });
}

describe('s3/versions: races', () => {
  for (const strength of ['strong', 'chained', 'ordered'] as const) {
    losesNothing(`loses nothing on a ${strength} store`, races(strength));
    losesNothing(
      `ends an object from before the versions once, on a ${strength} store`,
      races(strength, ADOPTING).map((race) => ({ ...race, before: ['plain'] as const })),
    );
  }

  for (const before of [[], ['plain']] as const) {
    const [what, acts] = before.length === 0 ? ['no object', ACTS] : ['an object', ADOPTING];
    losesNothing(
      `loses nothing without a look at a key with ${what}, on an ordered store`,
      races('ordered', acts).map((race) => ({ ...race, before, plainUnlikely: true })),
    );
  }

  losesNothing(
    'loses nothing where indexes are written later than their fences',
    races('ordered', POSTPONING, 8).map((race) => ({ ...race, postpones: true })),
    400,
  );

  losesNothing(
    'loses nothing on an ordered store with an older filter',
    fc
      .tuple(races('ordered', POSTPONING), fc.boolean())
      .map(([race, plainUnlikely]) => ({ ...race, plainUnlikely, creationsUnordered: true })),
  );

  losesNothing(
    'loses nothing of keys that are new, and emptied at once',
    races('ordered', EMPTYING, 3).map((race) => ({ ...race, plainUnlikely: true })),
  );

  losesNothing(
    'loses nothing on an ordered store whose objects are old',
    races('ordered').map((race) => ({
      ...race,
      before: ['put', 'put'] as const,
      ageMs: 10 * DAY_MS,
    })),
  );

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
