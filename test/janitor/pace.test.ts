import { expect } from 'chai';
import { RateLimiter } from '../../src/janitor/rate-limit.js';
import type { Clock } from '../../src/janitor/clock.js';

/** Sleeps by setting its time ahead. */
class SkippingClock implements Clock {
  time = 0;
  now = (): number => this.time;
  monotonic = (): number => this.time;
  sleep = (ms: number): Promise<void> => {
    this.time += ms;
    return Promise.resolve();
  };
}

describe('janitor: pace', () => {
  const signal = new AbortController().signal;

  for (const perSecond of [1, 50, 500, 10_000]) {
    it(`lets ${perSecond} calls a second through`, async () => {
      const clock = new SkippingClock();
      const pace = new RateLimiter(perSecond, clock);
      const calls = perSecond * 5;
      for (let i = 0; i < calls; i++) await pace.take(signal);
      expect(clock.time).to.be.within(4_700, 5_000);
    });
  }

  it('does not catch up on a pause', async () => {
    const clock = new SkippingClock();
    const pace = new RateLimiter(100, clock);
    await pace.take(signal);
    clock.time += 60_000;
    const before = clock.time;
    for (let i = 0; i < 100; i++) await pace.take(signal);
    expect(clock.time - before).to.be.within(850, 1_000);
  });
});
