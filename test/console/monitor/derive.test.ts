import { expect } from 'chai';
import fc from 'fast-check';
import { CounterGrowth } from '../../../console/surfaces/monitor/gateway/counter-growth.js';
import { Deriver } from '../../../console/surfaces/monitor/gateway/derive.js';
import type { Sample } from '../../../console/surfaces/monitor/gateway/metric-text.js';
import { histogramQuantile } from '../../../src/telemetry/quantile.js';
import { where, type Derivation } from '../../../console/surfaces/monitor/panels/panel.js';

describe('growth of counters', () => {
  it('is what was counted between the scrapes, whenever the process began anew', () => {
    // The truth between scrapes: how much was counted, and whether it restarted first.
    const step = fc.record({ counted: fc.nat(1000), restarted: fc.boolean() });
    fc.assert(
      fc.property(fc.nat(1000), fc.array(step, { maxLength: 30 }), (before, steps) => {
        const growth = new CounterGrowth();
        let value = before;
        growth.since(new Map([['c', value]]));
        for (const { counted, restarted } of steps) {
          // Who restarts and then counts more than before looks as if he had not.
          const isSeen = restarted && counted < value;
          const expected = isSeen || !restarted ? counted : counted - value;
          value = restarted ? counted : value + counted;
          expect(growth.since(new Map([['c', value]])).get('c')).to.equal(expected);
        }
      }),
    );
  });

  it('counts from nought what appears later, and nothing of before the first scrape', () => {
    const growth = new CounterGrowth();
    expect(growth.since(new Map([['a', 7]])).get('a')).to.equal(0);
    expect([...growth.since(new Map([['a', 7], ['b', 3]]))]).to.deep.equal([['a', 0], ['b', 3]]); // prettier-ignore
  });
});

describe('quantiles of histograms', () => {
  const bounds = [0.01, 0.1, 1, 10, Infinity];

  it('lie in the bucket of the observation with that rank', () => {
    const observations = fc.array(fc.double({ min: 0, max: 9.9, noNaN: true }), { minLength: 1 });
    const quantile = fc.double({ min: 0.01, max: 1, noNaN: true });
    fc.assert(
      fc.property(observations, quantile, (values, wanted) => {
        const buckets = bounds.map((le) => ({
          le,
          count: values.filter((value) => value <= le).length,
        }));
        const sorted = [...values].sort((a, b) => a - b);
        const exact = sorted[Math.ceil(wanted * sorted.length - 1e-9) - 1] ?? 0;
        const upper = bounds.find((bound) => bound >= exact) ?? Infinity;
        const lower = bounds[bounds.indexOf(upper) - 1] ?? 0;
        const found = histogramQuantile(wanted, buckets);
        expect(found).to.be.within(lower - 1e-9, upper + 1e-9);
      }),
    );
  });

  // The expected values are Prometheus' own, of histogram_quantile on these buckets.
  const buckets = [10, 30, 60, 60, 62].map((count, index) => ({ le: bounds[index] ?? 0, count }));
  for (const [quantile, expected] of [
    [0.1, 0.0062],
    [0.5, 0.13],
    [0.99, 10],
  ] as const) {
    it(`are those of PromQL: ${quantile}`, () => {
      expect(histogramQuantile(quantile, buckets)).to.be.closeTo(expected, 1e-9);
    });
  }

  it('are unknown without observations, and without a bucket for all', () => {
    expect(histogramQuantile(0.5, bounds.map((le) => ({ le, count: 0 })))).to.equal(undefined); // prettier-ignore
    expect(histogramQuantile(0.5, [{ le: 1, count: 5 }])).to.equal(undefined);
    expect(histogramQuantile(0.5, [])).to.equal(undefined);
  });
});

describe('panels of scrapes', () => {
  const S = 1000;
  const requests = (values: Readonly<Record<string, number>>): Sample[] =>
    Object.entries(values).map(([code, value]) => ({ name: 'r', labels: { code, w: '1' }, value }));

  function lines(derivation: Derivation, scrapes: readonly (readonly Sample[])[]) {
    const deriver = new Deriver([{ id: 'p', derivation }]);
    const last = scrapes
      .map((samples, index) => deriver.next(samples, (index + 1) * 10 * S))
      .at(-1);
    return (last ?? []).map(({ labels, value }) => [labels, value]);
  }

  it('has rates by the labels that are asked for, from the second scrape on', () => {
    const rate = { kind: 'rate', parts: [{ of: 'r' }], by: ['code'] } as const;
    expect(lines(rate, [requests({ 200: 100 })])).to.deep.equal([]);
    expect(lines(rate, [requests({ 200: 100 }), requests({ 200: 150, 500: 5 })])).to.deep.equal([
      [{ code: '200' }, 5],
      [{ code: '500' }, 0.5],
    ]);
  });

  it('forgets what is older than a minute', () => {
    const total = { kind: 'rate', parts: [{ of: 'r' }], by: [] } as const;
    const still = Array.from({ length: 7 }, () => requests({ 200: 1000 }));
    expect(lines(total, [requests({ 200: 0 }), ...still])).to.deep.equal([[{}, 0]]);
  });

  it('says 0 for a counter that counted nothing yet, once it would show', () => {
    const total = { kind: 'rate', parts: [{ of: 'r' }], by: [] } as const;
    expect(lines(total, [[]])).to.deep.equal([]);
    expect(lines(total, [[], []])).to.deep.equal([[{}, 0]]);
  });

  it('has the share of what failed', () => {
    const share = { kind: 'share', part: { of: 'r', where: where('code', '5..') } } as const;
    expect(lines(share, [requests({ 200: 0 }), requests({ 200: 75, 503: 25 })])).to.deep.equal([
      [{}, 0.25],
    ]);
    expect(lines(share, [requests({ 200: 9 }), requests({ 200: 9 })])).to.deep.equal([[{}, 0]]);
  });

  it('folds gauges, and leaves out what is no number', () => {
    const gauges: Sample[] = [
      { name: 'g', labels: { stat: 'p99', w: '1' }, value: 0.5 },
      { name: 'g', labels: { stat: 'p99', w: '2' }, value: 0.75 },
      { name: 'g', labels: { stat: 'max' }, value: NaN },
    ];
    const max = { kind: 'gauge', parts: [{ of: 'g' }], by: ['stat'], fold: 'max' } as const;
    expect(lines(max, [gauges])).to.deep.equal([[{ stat: 'p99' }, 0.75]]);
  });

  it('has the age of moments, and none of what was never', () => {
    const age = { kind: 'age', part: { of: 't' }, by: [] } as const;
    expect(lines(age, [[{ name: 't', labels: {}, value: 4 }]])).to.deep.equal([[{}, 6]]);
    expect(lines(age, [[{ name: 't', labels: {}, value: 0 }]])).to.deep.equal([]);
  });

  it('has quantiles of what was observed within the window', () => {
    const buckets = (low: number, all: number): Sample[] => [
      { name: 'h_bucket', labels: { le: '1', w: '1' }, value: low },
      { name: 'h_bucket', labels: { le: '2', w: '1' }, value: all },
      { name: 'h_bucket', labels: { le: '+Inf', w: '1' }, value: all },
    ];
    const median = { kind: 'quantiles', part: { of: 'h' }, by: [], quantiles: [0.5] } as const;
    expect(lines(median, [buckets(900, 900), buckets(900, 910)])).to.deep.equal([[{}, 1.5]]);
    expect(lines(median, [buckets(900, 900), buckets(900, 900)])).to.deep.equal([]);
  });
});
