import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Attempt, CommitProtocol } from '../../../src/s3/versions/commit-protocol.js';
import type { IndexStore } from '../../../src/s3/versions/index-store.js';
import type { Pause } from '../../../src/s3/versions/pause.js';
import type { VersionIds } from '../../../src/s3/versions/version-ids.js';
import { WeakProtocol } from '../../../src/s3/versions/weak-protocol.js';
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

function races(strength: Race['strength']): fc.Arbitrary<Race> {
  const gateway = fc.array(fc.constantFrom(...ACTS), { minLength: 1, maxLength: 4 });
  const crash = fc.record({ gateway: fc.nat({ max: 3 }), after: fc.nat({ max: 120 }) });
  return fc.record({
    strength: fc.constant(strength),
    gateways: fc.array(gateway, { minLength: 2, maxLength: 4 }),
    crashes: fc.array(crash, { maxLength: 2 }),
    seed: fc.integer(),
  });
}

describe('s3/versions: races', () => {
  for (const strength of ['strong', 'chained', 'weak'] as const) {
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

  const planted: Readonly<Record<string, Omit<Race, 'gateways' | 'seed'>>> = {
    'a store that is weak and says that it is strong': { strength: 'weak', claims: 'strong' },
    'a store that is weak and says that fences are atomic': { strength: 'weak', claims: 'chained' },
    'commits that are not read back': {
      strength: 'weak',
      protocol: (...parts) => new NotReadBack(...parts),
    },
    'indexes that are not merged': {
      strength: 'weak',
      protocol: (...parts) => new NotMerged(...parts),
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

/** Takes the store's word for who has won. */
class NotReadBack implements CommitProtocol {
  readonly #weak: WeakProtocol;
  readonly read: CommitProtocol['read'];
  readonly withdraw: CommitProtocol['withdraw'];

  constructor(
    private readonly store: IndexStore,
    ids: VersionIds,
    pause: Pause,
  ) {
    this.#weak = new WeakProtocol(store, ids, pause);
    this.read = this.#weak.read.bind(this.#weak);
    this.withdraw = this.#weak.withdraw.bind(this.#weak);
  }

  async attempt(...[call, of, before, commit, next]: Parameters<CommitProtocol['attempt']>) {
    const fenced = await this.store.createFence(call, of, commit, 'ordinary');
    const written = await this.store.writeIndex(call, of, next, before);
    const isCommitted = fenced.outcome === 'written' && written.outcome === 'written';
    if (!isCommitted) return { outcome: 'overtaken', commit } satisfies Attempt;
    const stored = { index: next.index, etag: written.etag };
    return { outcome: 'committed', stored } satisfies Attempt;
  }
}

/** Believes every index that it finds. */
class NotMerged extends WeakProtocol {
  readonly #store: IndexStore;

  constructor(store: IndexStore, ids: VersionIds, pause: Pause) {
    super(store, ids, pause);
    this.#store = store;
  }

  override read(...[call, of]: Parameters<CommitProtocol['read']>) {
    return this.#store.readIndex(call, of);
  }
}
