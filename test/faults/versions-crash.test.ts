import { expect } from 'chai';
import { Recorder } from './history/recorder.js';
import { expectEventful, expectRight, lookAtEverything } from './race/last-look.js';
import { Race } from './race/race.js';
import { ServicesOnOneStore } from './race/services.js';

const ROUNDS = 5;
const CLIENTS = 6;
const KEYS = ['a', 'b', 'c', 'd'].map((name) => `key-${name}`);
/** Before the power is cut, so that every round has something to lose. */
const OPERATIONS_PER_ROUND = 120;

describe('versions, in a service that is killed at any moment', function () {
  this.timeout(120_000);
  let ground: ServicesOnOneStore | undefined;

  after(() => ground?.close());

  it('are all there, each with its body and in order', async () => {
    const recorder = new Recorder();
    ground = await ServicesOnOneStore.open({ gateways: 1, listeners: 2 });
    for (let round = 0; round < ROUNDS; round++) {
      if (round > 0) await ground.start();
      const prefix = `${round}-`;
      const race = new Race(ground, { keys: KEYS, clients: CLIENTS, prefix, recorder });
      // The keys that the kill left half done may be read first, or written first.
      if (round > 0 && round % 2 === 0) await lookAtEverything(race.director, KEYS);
      if (round !== 1) await race.director.setState(round === 3 ? 'Suspended' : 'Enabled');
      race.start();
      await race.passed(OPERATIONS_PER_ROUND);
      const killed = ground.kill9();
      await race.stop();
      await killed;
      await race.close();
    }
    await ground.start();
    const last = new Race(ground, { keys: KEYS, clients: 0, prefix: 'last-', recorder });
    const raced = await last.finish();
    expect(await ground.stop()).to.deep.equal([0]);
    expectEventful(raced.operations);
    expectRight(raced);
  });
});
