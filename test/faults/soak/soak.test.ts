import process from 'node:process';
import { expect } from 'chai';
import { soak } from './soak.js';

const MIB = 1024 * 1024;

/** An hour with RINGWAY_LARGE=1, or what `RINGWAY_SOAK_SECONDS` says. */
function soakSeconds(): number {
  const { RINGWAY_SOAK_SECONDS, RINGWAY_LARGE } = process.env;
  if (RINGWAY_SOAK_SECONDS !== undefined) return Number(RINGWAY_SOAK_SECONDS);
  return RINGWAY_LARGE === '1' ? 3600 : 8;
}

describe('a service under mixed load, whose listeners are killed', () => {
  const seconds = soakSeconds();
  const isLong = seconds >= 300;

  it(`loses, tears and leaks nothing, and counts on`, async function () {
    this.timeout((seconds + 120) * 1000);
    const figures = await soak({
      seconds,
      listeners: 2,
      workers: 6,
      secondsPerKill: isLong ? 15 : 3,
      restMs: isLong ? 20 : 2,
      seed: isLong ? Date.now() % 2 ** 31 : 1,
    });
    // What was read is checked within.
    if (isLong) console.log(JSON.stringify(figures, null, 2));
    expect(figures.kills).to.be.above(0);
    expect(figures.operations).to.be.above(figures.kills * 10);
    expect(figures.counterProblems).to.deep.equal([]);
    expect(figures.restarts).to.equal(figures.kills);
    expect(figures.rssPeakBytes).to.be.below(600 * MIB);
    if (isLong) {
      // 100 MiB in a day would be 1.2 kB/s; ten minutes cannot tell less than that from noise.
      const allowed = (20 * MIB) / (seconds / 2);
      expect(figures.listener.slopeBytesPerS).to.be.below(allowed);
      expect(figures.supervisor.slopeBytesPerS).to.be.below(allowed);
    }
  });
});
