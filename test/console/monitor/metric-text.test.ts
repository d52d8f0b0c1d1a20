import { expect } from 'chai';
import fc from 'fast-check';
import {
  MetricTextError,
  parseMetricText,
} from '../../../console/surfaces/monitor/gateway/metric-text.js';
import { Counter, Registry } from 'prom-client';

describe("reading Prometheus' text format", () => {
  it('reads names, labels with escapes, values and times', () => {
    const text = String.raw`# HELP a Something.
# TYPE a counter
a 1
a_b{x="1",y="two words"} 2.5e3 1700000000000
c{path="C:\\DIR\n\"q\"", } +Inf
d{} NaN

`;
    expect(parseMetricText(text)).to.deep.equal([
      { name: 'a', labels: {}, value: 1 },
      { name: 'a_b', labels: { x: '1', y: 'two words' }, value: 2500 },
      { name: 'c', labels: { path: 'C:\\DIR\n"q"' }, value: Infinity },
      { name: 'd', labels: {}, value: NaN },
    ]);
  });

  for (const line of [
    '{} 1',
    'a',
    'a{x="1" 2',
    'a{x=1} 2',
    'a{x="1"} two',
    'a{x="1}" 2',
    '<html>',
  ]) {
    it(`refuses ${line}`, () => {
      expect(() => parseMetricText(`a 1\n${line}\n`)).to.throw(MetricTextError);
    });
  }

  it("reads back whatever prom-client's counters say", async () => {
    const texts = fc.string({ unit: 'binary', maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(texts, fc.nat(), { maxKeys: 5 }), async (values) => {
        const registry = new Registry();
        const registers = [registry];
        const counter = new Counter({ name: 'n', help: 'h', labelNames: ['l'], registers });
        for (const [label, value] of Object.entries(values)) counter.inc({ l: label }, value);
        const read = parseMetricText(await registry.metrics());
        expect(read.map(({ labels, value }) => [labels.l, value])).to.deep.equal(
          Object.entries(values),
        );
      }),
      { numRuns: 200 },
    );
  });
});
