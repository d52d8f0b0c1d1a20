import { expectSound, runRace, type Race } from './race.js';
import type { Act } from './race-rules.js';

/**
 * A gateway that crashes at every instant of everything that it does, on keys in all states; another
 * one goes on, and all holds that must.
 */

const STATES: Readonly<Record<string, readonly Act[]>> = {
  'nothing there': [],
  'an object that no index knows': ['plain'],
  'two versions': ['put', 'put'],
  'a delete marker on top': ['put', 'mark'],
  'a version null': ['put-null', 'put'],
  'an object over a link': ['put', 'put', 'plain'],
};
const ACTS: readonly Act[] = [
  'put',
  'put-null',
  'mark',
  'mark-null',
  'delete',
  'delete-null',
  'lock',
];
/** The acts that find the remains of the crashed one. */
const AFTERWARDS: readonly (readonly Act[])[] = [
  ['read'],
  ['put', 'delete'],
  ['mark', 'lock', 'delete'],
  ['delete-null', 'put-null'],
];

describe('s3/versions: crashes', () => {
  for (const strength of ['strong', 'chained', 'ordered'] as const) {
    for (const [state, before] of Object.entries(STATES)) {
      it(`leaves nothing wrong on a ${strength} store with ${state}`, async () => {
        for (const act of ACTS) await expectSoundAfterCrashes({ strength, before }, [act]);
      });
    }
  }

  for (const [what, before] of [
    ['before there is one', []],
    ['that is there', ['put']],
    ['below another', ['put', 'put']],
  ] as const) {
    it(`leaves nothing wrong of a first version ${what}`, async () => {
      const race = { strength: 'ordered', plainUnlikely: true, before } as const;
      for (const act of [...ACTS, 'read'] as const) {
        await expectSoundAfterCrashes(race, [act, 'put']);
      }
    });
  }

  it('leaves nothing wrong where indexes are written later than their fences', async () => {
    const race = { strength: 'ordered', postpones: true } as const;
    for (const act of ACTS) {
      await expectSoundAfterCrashes(race, ['put', 'put', act, 'put', 'write-postponed']);
    }
  });
});

/** A gateway crashes at each instant of its acts. */
async function expectSoundAfterCrashes(
  options: Omit<Race, 'gateways' | 'seed'>,
  acts: readonly Act[],
): Promise<void> {
  const race = { ...options, gateways: [acts], seed: 1 };
  const { instants } = await runRace(race);
  for (let after = 0; after <= instants; after++) {
    const afterwards = AFTERWARDS[after % AFTERWARDS.length];
    await expectSound({ ...race, afterwards, crashes: [{ gateway: 0, after }] });
  }
}
