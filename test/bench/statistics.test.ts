import { expect } from 'chai';
import fc from 'fast-check';
import { encode, merge, newHistogram, percentilesOf, record } from '../../bench/load/latency.js';
import { ratios, relativeSpread, spreadOf } from '../../bench/measure/statistics.js';
import { clientsOf, setupConcurrency } from '../../bench/load/session.js';
import { rowNamed } from '../../bench/rows/table.js';

describe('bench: statistics', () => {
  it('takes the middle, or what lies between the two middle ones', () => {
    expect(spreadOf([3, 1, 2])).to.deep.equal({ median: 2, min: 1, max: 3 });
    expect(spreadOf([4, 1, 2, 3])).to.deep.equal({ median: 2.5, min: 1, max: 4 });
    expect(spreadOf([7])).to.deep.equal({ median: 7, min: 7, max: 7 });
    expect(spreadOf([])).to.equal(undefined);
  });

  it('says how far slices are apart, as a share of the median', () => {
    expect(relativeSpread({ median: 10, min: 9, max: 12 })).to.be.closeTo(0.3, 1e-12);
    expect(relativeSpread({ median: 0, min: 0, max: 0 })).to.equal(0);
  });

  it('divides slice by slice, where both have a figure', () => {
    expect(ratios([10, 20, undefined, 5], [5, 20, 1])).to.deep.equal({
      median: 1.5,
      min: 1,
      max: 2,
    });
    expect(ratios([1], [0])).to.equal(undefined);
    expect(ratios([1], [undefined])).to.equal(undefined);
  });

  it('has percentiles of several processes as if it had been one', () => {
    const latencies = fc.array(fc.double({ min: 0.001, max: 60_000, noNaN: true }), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(latencies, latencies, (a, b) => {
        const parts = [a, b].map((values) => {
          const histogram = newHistogram();
          for (const value of values) record(histogram, value);
          return encode(histogram);
        });
        const { p50, p99, max } = percentilesOf(merge(parts));
        const sorted = [...a, ...b].sort((x, y) => x - y);
        const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1]!;
        // Three digits, of microseconds.
        for (const [found, exact] of [
          [p50, at(0.5)],
          [p99, at(0.99)],
          [max, at(1)],
        ] as const) {
          expect(found).to.be.closeTo(exact, exact * 0.002 + 0.001);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('spreads clients over processes, none lost', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.integer({ min: 1, max: 9 }), (concurrency, count) => {
        const each = Array.from({ length: count }, (_, index) =>
          clientsOf(concurrency, { index, count }),
        );
        expect(each.reduce((sum, clients) => sum + clients)).to.equal(concurrency);
        expect(Math.max(...each) - Math.min(...each)).to.be.at.most(1);
      }),
    );
  });

  it('prepares versions with as many requests at once as the row has clients', () => {
    expect(setupConcurrency(rowNamed('put-versioned-known'), 8)).to.equal(8);
    expect(setupConcurrency(rowNamed('get-versioned'), 0)).to.equal(1);
    expect(setupConcurrency(rowNamed('delete-1k'), 8)).to.equal(64);
  });
});
