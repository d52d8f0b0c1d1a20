import { expect } from 'chai';
import fc from 'fast-check';
import { Semaphore, type SemaphoreRefusal } from '../../src/lib/semaphore.js';
import { until } from '../support/until.js';

describe('lib: semaphore', function () {
  // All happens in this process, and waits that are not over by then never end.
  this.timeout(10_000);

  /** The state of one that enters: it `waits`, is `in`, or has the code of its refusal. */
  function watch(entering: Promise<SemaphoreRefusal | undefined>): { state: string } {
    const watched = { state: 'waits' };
    void entering.then((refusal) => {
      watched.state = refusal ?? 'in';
    });
    return watched;
  }

  it('lets in by weight, and the next when one leaves, in order', async () => {
    const gate = new Semaphore({ capacity: 4, queueMax: 9, waitMsMax: 60_000 });
    expect(gate.tryEnter(3)).to.equal(true);
    expect(gate.tryEnter(2)).to.equal(false);
    const heavy = watch(gate.enter(4));
    // It would fit, but came later.
    expect(gate.tryEnter(1)).to.equal(false);
    const light = watch(gate.enter(1));
    expect(gate.waiting).to.equal(2);
    gate.leave(3);
    await until(() => heavy.state === 'in');
    expect(light.state).to.equal('waits');
    gate.leave(4);
    await until(() => light.state === 'in');
    expect([gate.used, gate.waiting]).to.deep.equal([1, 0]);
  });

  it('refuses at once when too many wait', async () => {
    const gate = new Semaphore({ capacity: 1, queueMax: 1, waitMsMax: 5_000 });
    gate.tryEnter(1);
    const waits = watch(gate.enter(1));
    expect(await gate.enter(1)).to.equal('queue_full');
    expect(waits.state).to.equal('waits');
    gate.leave(1);
    await until(() => waits.state === 'in');
  });

  it('refuses a waiter that has waited too long, and then lets in those that fit', async () => {
    let now = 0;
    const gate = new Semaphore({ capacity: 4, queueMax: 9, waitMsMax: 20 }, () => now);
    gate.tryEnter(3);
    const heavy = watch(gate.enter(2));
    now = 15;
    const light = watch(gate.enter(1));
    now = 25;
    await until(() => heavy.state !== 'waits');
    expect(heavy.state).to.equal('wait_timeout');
    await until(() => light.state !== 'waits');
    expect(light.state).to.equal('in');
    expect(gate.used).to.equal(4);
  });

  it('lets in what is heavier than all that may be inside, alone', async () => {
    const gate = new Semaphore({ capacity: 2, queueMax: 9, waitMsMax: 60_000 });
    gate.tryEnter(1);
    const giant = watch(gate.enter(100));
    expect(giant.state).to.equal('waits');
    gate.leave(1);
    await until(() => giant.state === 'in');
    expect(gate.tryEnter(1)).to.equal(false);
  });

  it('never holds more than its capacity, loses no waiter, and is empty in the end', async () => {
    const weight = fc.integer({ min: 1, max: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(weight, { maxLength: 60 }), async (weights) => {
        const gate = new Semaphore({ capacity: 5, queueMax: 20, waitMsMax: 60_000 });
        let served = 0;
        let refused = 0;
        await Promise.all(
          weights.map(async (each) => {
            if ((await gate.enter(each)) !== undefined) {
              refused += 1;
              return;
            }
            expect(gate.used).to.be.at.most(5);
            await Promise.resolve();
            served += 1;
            gate.leave(each);
          }),
        );
        expect(served + refused).to.equal(weights.length);
        expect([gate.used, gate.waiting]).to.deep.equal([0, 0]);
      }),
    );
  });
});
