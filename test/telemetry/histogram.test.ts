import { expect } from 'chai';
import fc from 'fast-check';
import { AggregatorRegistry, Histogram, Registry } from 'prom-client';
import { SeriesHistogram } from '../../src/telemetry/histogram.js';

const BUCKETS = [0.1, 1, 10];

describe('telemetry: histogram', () => {
  it('gives what prom-client gives, alone and aggregated', async () => {
    const observation = fc.tuple(
      fc.constantFrom('GetObject', 'PutObject'),
      fc.oneof(fc.constantFrom(0, ...BUCKETS), fc.double({ min: 0, max: 20, noNaN: true })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(observation), async (observations) => {
        const [ours, theirs] = [new Registry(), new Registry()];
        const options = { name: 'h', help: 'A histogram.', buckets: BUCKETS };
        const series = new SeriesHistogram({ ...options, label: 'operation', registers: [ours] });
        const labelNames = ['operation'];
        const oracle = new Histogram({ ...options, labelNames, registers: [theirs] });
        for (const [operation, value] of observations) {
          series.series(operation).observe(value);
          oracle.observe({ operation }, value);
        }
        expect(await ours.metrics()).to.equal(await theirs.metrics());
        const aggregate = async (registry: Registry): Promise<string> => {
          const json = await registry.getMetricsAsJSON();
          // As it crosses processes.
          const copy = JSON.parse(JSON.stringify(json)) as object;
          return AggregatorRegistry.aggregate([copy, copy]).metrics();
        };
        expect(await aggregate(ours)).to.equal(await aggregate(theirs));
      }),
      { numRuns: 50 },
    );
  });
});
