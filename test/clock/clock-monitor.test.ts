import { expect } from 'chai';
import { startClockHealth, UNCHECKED } from '../../src/clock/index.js';
import { ClockMonitor, type ClockMonitorOptions } from '../../src/clock/clock-monitor.js';
import { UNSYNCHRONISED, type ClockReading, type ClockSource } from '../../src/clock/reading.js';

const RIGHT: ClockReading = { offsetMs: 1, uncertaintyMs: 2 };
const WRONG: ClockReading = { offsetMs: 5_000, uncertaintyMs: 2 };

/** A source whose reading the test sets; undefined: it does not answer. */
class Source implements ClockSource {
  asked = 0;

  constructor(
    readonly name: string,
    public reading: ClockReading | undefined,
  ) {}

  read(): Promise<ClockReading> {
    this.asked += 1;
    return this.reading === undefined
      ? Promise.reject(new Error('does not answer'))
      : Promise.resolve(this.reading);
  }
}

class Times {
  wallMs = Date.UTC(2026, 0, 1);
  monotonicMs = 1_000;

  wall(): number {
    return this.wallMs;
  }

  monotonic(): number {
    return this.monotonicMs;
  }

  pass(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
  }
}

function monitor(sources: readonly ClockSource[], options: Partial<ClockMonitorOptions> = {}) {
  const times = new Times();
  return { times, clock: new ClockMonitor({ maxOffsetMs: 100, sources, times, ...options }) };
}

describe('clock: monitor', () => {
  it('trusts nothing before the first look', () => {
    const { clock } = monitor([new Source('a', RIGHT)]);
    expect(clock.state()).to.equal('unhealthy');
    expect(clock.describe()).to.equal('not looked at yet');
  });

  it('is healthy when the first source says so', async () => {
    const [first, second] = [new Source('a', RIGHT), new Source('b', WRONG)];
    const { clock } = monitor([first, second]);
    await clock.look();
    expect(clock.state()).to.equal('healthy');
    expect(clock.describe()).to.equal('a: off by at most 3.000 ms');
    expect(second.asked).to.equal(0);
  });

  it('asks the next source where one does not answer', async () => {
    const { clock } = monitor([new Source('a', undefined), new Source('b', RIGHT)]);
    await clock.look();
    expect(clock.state()).to.equal('healthy');
    expect(clock.describe()).to.equal('a: does not answer; b: off by at most 3.000 ms');
  });

  it('takes an answer for one, also when it is a bad one', async () => {
    const { clock } = monitor([new Source('a', UNSYNCHRONISED), new Source('b', RIGHT)]);
    await clock.look();
    expect(clock.state()).to.equal('unhealthy');
    expect(clock.describe()).to.equal('a: not synchronised');
  });

  it('is unhealthy when no source answers', async () => {
    const { clock } = monitor([new Source('a', undefined), new Source('b', undefined)]);
    await clock.look();
    expect(clock.state()).to.equal('unhealthy');
    expect(clock.describe()).to.equal('a: does not answer; b: does not answer');
  });

  for (const [node, other, state] of [
    [RIGHT, RIGHT, 'healthy'],
    [RIGHT, WRONG, 'unhealthy'],
    [RIGHT, undefined, 'healthy'],
    [WRONG, RIGHT, 'unhealthy'],
    [UNSYNCHRONISED, RIGHT, 'healthy'],
    [undefined, RIGHT, 'healthy'],
    [undefined, undefined, 'unhealthy'],
  ] as const) {
    it(`is ${state}: ${JSON.stringify({ node, peer: other })}`, async () => {
      const { clock } = monitor([new Source('a', node)], { peer: new Source('peer', other) });
      await clock.look();
      expect(clock.state()).to.equal(state);
    });
  }

  it('forgets a look that is too old', async () => {
    const { clock, times } = monitor([new Source('a', RIGHT)]);
    await clock.look();
    times.pass(30_000);
    expect(clock.state()).to.equal('healthy');
    times.pass(1);
    expect(clock.state()).to.equal('unhealthy');
    expect(clock.describe()).to.equal('last looked at 30 s ago');
    await clock.look();
    expect(clock.state()).to.equal('healthy');
  });

  for (const stepMs of [101, -101]) {
    it(`sees at once that the clock was set by ${stepMs} ms`, async () => {
      const { clock, times } = monitor([new Source('a', RIGHT)]);
      await clock.look();
      times.pass(5_000);
      times.wallMs += stepMs;
      expect(clock.state()).to.equal('unhealthy');
      expect(clock.describe()).to.contain('set by');
      // The next look asks what to think of it.
      await clock.look();
      expect(clock.state()).to.equal('healthy');
    });
  }

  it('tells of changes, and of the first finding', async () => {
    const told: string[] = [];
    const source = new Source('a', undefined);
    const { clock } = monitor([source], {
      onChange: (state, why) => told.push(`${state}: ${why}`),
    });
    await clock.look();
    await clock.look();
    source.reading = RIGHT;
    await clock.look();
    await clock.look();
    source.reading = WRONG;
    await clock.look();
    expect(told).to.deep.equal([
      'unhealthy: a: does not answer',
      'healthy: a: off by at most 3.000 ms',
      'unhealthy: a: off by at most 5002.000 ms',
    ]);
  });

  it('looks at nothing when the check is off', async () => {
    const clock = await startClockHealth({ maxOffsetMs: 0 });
    expect(clock).to.equal(UNCHECKED);
    expect(clock.state()).to.equal('unchecked');
  });

  it('has looked once when it starts', async () => {
    const clock = await startClockHealth({ maxOffsetMs: 1_000 });
    try {
      expect(clock.describe()).not.to.equal('not looked at yet');
    } finally {
      clock.close();
    }
  });
});
