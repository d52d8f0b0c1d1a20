import { expect } from 'chai';
import { checkHistory } from './history/check.js';
import type { Operation } from './history/operation.js';
import { CoreGround, type CoreOptions } from './race/core-ground.js';
import { expectEventful, expectRight, isEventful } from './race/last-look.js';
import { changingStates, Race, type RaceResult } from './race/race.js';

const IS_LARGE = process.env.RINGWAY_LARGE === '1';
const FACTOR = IS_LARGE ? 20 : 1;

/** Fewer than there are clients, so that most operations meet another one. */
const KEYS = ['key-0', 'key-1', 'key-2', 'key-3', 'key-4'];
const CLIENTS = 8;

interface CoreRaceOptions extends CoreOptions {
  readonly operations: number;
  /** Operations between two changes of the bucket's state, on average; undefined: it is enabled. */
  readonly operationsPerState?: number;
  /** Ends the race, as {@link EXTENSION} times its operations do: chance may be slow. */
  readonly until?: (operations: readonly Operation[]) => boolean;
}

const EXTENSION = 10;

async function raceCore(options: CoreRaceOptions): Promise<RaceResult & { crashes: number }> {
  const { operations, operationsPerState, until, faults } = options;
  const ground = await CoreGround.open(options);
  try {
    const race = new Race(ground, { keys: KEYS, clients: CLIENTS });
    await race.director.setState('Enabled');
    race.start(
      ...(operationsPerState === undefined
        ? []
        : [changingStates(() => 2 * Math.random() * operationsPerState, 'Enabled')]),
    );
    await race.reached(() => {
      const { length } = race.operations;
      if (length < operations) return false;
      return length >= EXTENSION * operations || until?.(race.operations) !== false;
    });
    await race.stop();
    ground.settle();
    const raced = await race.finish(faults.preconditions !== 'lying');
    return { ...raced, crashes: ground.crashes };
  } finally {
    await ground.close();
  }
}

const STRONG = { operations: 1000 * FACTOR, faults: { delayMsMax: 1 } } satisfies CoreRaceOptions;
const CHAINED = {
  operations: 400 * FACTOR,
  faults: { preconditions: 'chained', delayMsMax: 1 },
} satisfies CoreRaceOptions;

const CHANGING = { operationsPerState: 100, until: isEventful } satisfies Partial<CoreRaceOptions>;

describe('versions, raced in one process', function () {
  this.timeout(180_000 * FACTOR);

  it('are all there and in order', async () => {
    const raced = await raceCore(STRONG);
    expectRight(raced);
  });

  it('are all there and in order while gateways crash between any two calls', async () => {
    const raced = await raceCore({ ...STRONG, writesPerCrash: 60 });
    expect(raced.crashes).to.be.above(10);
    expectRight(raced);
  });

  it('are all there and in order while the state of the bucket changes', async () => {
    const raced = await raceCore({ ...STRONG, ...CHANGING, writesPerCrash: 60 });
    expectEventful(raced.operations);
    expectRight(raced);
  });

  it('are all there and in order where only creating is exclusive, as in Swift', async () => {
    const raced = await raceCore({ ...CHAINED, ...CHANGING });
    expectEventful(raced.operations);
    expectRight(raced, { seenIsFirm: false });
  });

  it('are all there and in order where that is so and gateways crash', async () => {
    const raced = await raceCore({ ...CHAINED, writesPerCrash: 60 });
    expect(raced.crashes).to.be.above(5);
    expectRight(raced, { seenIsFirm: false });
  });

  it('are seen to be lost where nothing holds a second writer up', async () => {
    const faults = { preconditions: 'lying', delayMsMax: 1 } as const;
    const { operations } = await raceCore({ operations: 600, faults });
    expect(checkHistory(operations).map(({ kind }) => kind)).to.include('lost');
  });
});
