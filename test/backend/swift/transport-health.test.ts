import { expect } from 'chai';
import { EndpointHealth, slowOnes } from '../../../src/backend/swift/net/endpoint-health.js';
import { LatencyWindow } from '../../../src/backend/swift/net/latency-window.js';

const OPTIONS = { ejectAfter: 3, ejectMs: 1000, ejectMsMax: 4000 };

describe('EndpointHealth', () => {
  it('is ejected by so many failures in a row, and by no fewer', () => {
    const health = new EndpointHealth(OPTIONS);
    expect([1, 2].map((now) => health.failed(now))).to.deep.equal([false, false]);
    expect(health.answered()).to.equal(false);
    expect([3, 4, 5].map((now) => health.failed(now))).to.deep.equal([false, false, true]);
    expect(health.well).to.equal(false);
    expect(health.ejectedForMs).to.equal(1000);
  });

  it('is ejected for twice as long each time, up to a bound', () => {
    const health = new EndpointHealth(OPTIONS);
    for (let i = 0; i < 3; i++) health.failed(0);
    const lengths = [1, 2, 3].map((now) => {
      health.probeFailed(now);
      return health.ejectedForMs;
    });
    expect(lengths).to.deep.equal([2000, 4000, 4000]);
  });

  it('comes back on trial: one failure is enough', () => {
    const health = new EndpointHealth(OPTIONS);
    for (let i = 0; i < 3; i++) health.failed(0);
    health.probed();
    expect(health.well).to.equal(true);
    expect(health.failed(1)).to.equal(true);
    expect(health.ejectedForMs).to.equal(2000);
  });

  it('is trusted again after an answer', () => {
    const health = new EndpointHealth(OPTIONS);
    for (let i = 0; i < 3; i++) health.failed(0);
    expect(health.answered()).to.equal(true);
    expect(health.failed(1)).to.equal(false);
    expect(health.well).to.equal(true);
  });

  it('says when it was last tried in vain, so that another one is tried next', () => {
    const health = new EndpointHealth(OPTIONS);
    for (let i = 0; i < 3; i++) health.failed(7);
    expect(health.ejectedAt).to.equal(7);
    expect(health.failed(9)).to.equal(false);
    expect(health.ejectedAt).to.equal(9);
    expect(health.ejectedForMs).to.equal(1000);
  });

  it('is not taken back for an answer where it was slow, and is out for longer each time', () => {
    const health = new EndpointHealth(OPTIONS);
    const lengths = [1, 2, 3, 4].map((now) => {
      health.slow(now);
      expect(health.answered()).to.equal(false);
      expect(health.well).to.equal(false);
      const { ejectedForMs } = health;
      health.probed();
      expect(health.well).to.equal(true);
      health.answered();
      return ejectedForMs;
    });
    expect(lengths).to.deep.equal([1000, 2000, 4000, 4000]);
    health.keptUp();
    health.slow(5);
    expect(health.ejectedForMs).to.equal(1000);
  });
});

describe('LatencyWindow', () => {
  it('gives quantiles of the last samples', () => {
    const window = new LatencyWindow();
    expect(window.quantile(0.5)).to.equal(undefined);
    for (let ms = 100; ms > 0; ms--) window.add(ms);
    expect([0, 0.5, 0.95, 1].map((q) => window.quantile(q))).to.deep.equal([1, 51, 96, 100]);
    for (let i = 0; i < 1000; i++) window.add(7);
    expect(window.quantile(0.95)).to.equal(7);
    expect(window.count).to.equal(1100);
    window.clear();
    expect([window.count, window.quantile(0.5)]).to.deep.equal([0, undefined]);
  });
});

describe('endpoints that are slow', () => {
  /** How long the reads of each take, and how many reads there were, if not twenty of each. */
  const cases: [
    title: string,
    ms: number[],
    expected: (boolean | undefined)[],
    counts?: number[],
  ][] = [
    [
      'four times as long as the fastest, and a quarter of a second more',
      [100, 401],
      [false, true],
    ],
    ['not for less than a quarter of a second', [10, 250], [false, false]],
    ['not for less than four times', [1000, 3900], [false, false]],
    ['not for a few reads', [10, 5000], [undefined, undefined], [20, 15]],
    [
      'compared where others are not known',
      [10, 5000, 900],
      [false, undefined, true],
      [20, 15, 20],
    ],
    ['none where all are', [5000, 6000], [false, false]],
  ];
  for (const [title, given, expected, counts] of cases) {
    it(title, () => {
      const windows = given.map((ms, at) => {
        const window = new LatencyWindow();
        for (let i = 0; i < (counts?.[at] ?? 20); i++) window.add(ms);
        return window;
      });
      expect(slowOnes(windows)).to.deep.equal(expected);
    });
  }
});
