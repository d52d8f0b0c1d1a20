import { expect } from 'chai';
import { checkHistory } from './history/check.js';
import { expectEventful, expectRight } from './race/last-look.js';
import type { RaceResult } from './race/race.js';
import {
  raceServices,
  ServicesOnOneStore,
  type ServicesOptions,
  type ServicesRaceOptions,
} from './race/services.js';

/** Two minutes a race with RINGWAY_LARGE=1; else as long as it takes to see most of what there is. */
const IS_LARGE = process.env.RINGWAY_LARGE === '1';
const LENGTH = IS_LARGE
  ? { operationsMin: 0, durationMsMin: 120_000 }
  : { operationsMin: 1000, durationMsMin: 0 };

/** Eight processes that PUT, DELETE, suspend and read the same 20 keys. */
const EIGHT_LISTENERS: ServicesOptions & ServicesRaceOptions = {
  gateways: 2,
  listeners: 4,
  ...LENGTH,
  operationsPerKill: 150,
  operationsPerState: 200,
};

describe('versions, raced by two gateways', function () {
  this.timeout(IS_LARGE ? 600_000 : 240_000);
  let ground: ServicesOnOneStore | undefined;

  afterEach(() => ground?.close());

  async function run(
    options: ServicesOptions & ServicesRaceOptions,
  ): Promise<RaceResult & { kills: number }> {
    ground = await ServicesOnOneStore.open(options);
    const raced = await raceServices(ground, options);
    return { ...raced, kills: ground.kills };
  }

  it('are all there and in order while listeners are killed', async () => {
    const raced = await run(EIGHT_LISTENERS);
    expect(raced.kills).to.be.above(3);
    expectEventful(raced.operations);
    expectRight(raced);
  });

  it('are all there and in order where only creating is exclusive, as in Swift', async () => {
    const raced = await run({
      ...EIGHT_LISTENERS,
      faults: { preconditions: 'chained' },
    });
    expect(raced.kills).to.be.above(3);
    expectEventful(raced.operations);
    // A slow writer may put an older index or link back, until the next one looks.
    expectRight(raced, { seenIsFirm: false });
  });

  it('are seen to be lost where nothing holds a second writer up', async () => {
    const { operations } = await run({
      gateways: 2,
      listeners: 1,
      keys: 2,
      operationsMin: 500,
      durationMsMin: 0,
      faults: { preconditions: 'lying', delayMsMax: 5 },
    });
    expect(checkHistory(operations).map(({ kind }) => kind)).to.include('lost');
  });
});
