import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { MetricSnapshot } from '../../src/telemetry/collected.js';
import type { ChildKind } from '../../supervisor/kinds.js';
import { ServiceMetrics } from '../../supervisor/metrics.js';
import { collectGarbage } from '../support/garbage.js';

const NOBODY = { slots: [], leaving: [], probeIntervalMs: 1000 };

const serviceMetrics = () => new ServiceMetrics({ version: '1', revision: 'r', node: '20' });

function snapshot(requests: number): MetricSnapshot {
  const values = [{ value: requests, labels: { code: '200' } }];
  const metric = { name: 'requests_total', help: 'Requests.', type: 'counter', values };
  return [{ ...metric, aggregator: 'sum' }] as unknown as MetricSnapshot;
}

describe('supervisor: metrics of children that have gone', () => {
  it('are added up', async () => {
    const metrics = serviceMetrics();
    for (const requests of [3, 4, 5]) metrics.keep(snapshot(requests));
    expect(await metrics.render(NOBODY)).to.include('requests_total{code="200"} 12\n');
  });

  it('leave nothing behind of what only a living child has', async () => {
    const metrics = serviceMetrics();
    const values = [{ value: 3, labels: {} }];
    const gauge = { name: 'in_progress', help: 'x', type: 'gauge', aggregator: 'sum', values };
    metrics.keep([...snapshot(1), gauge as unknown as MetricSnapshot[number]]);
    const text = await metrics.render(NOBODY);
    expect(text).to.include('requests_total{code="200"} 1\n').and.not.include('in_progress');
  });

  it('are the same in whatever order they are added', async () => {
    const totals = await Promise.all(
      [
        [0.1, 0.2, 0.3, 0.0000191],
        [0.3, 0.0000191, 0.2, 0.1],
        [0.2, 0.3, 0.1, 0.0000191],
      ].map(async (order) => {
        const metrics = serviceMetrics();
        for (const seconds of order) metrics.keep(snapshot(seconds));
        return /^requests_total\{\S+ (\S+)$/m.exec(await metrics.render(NOBODY))?.[1];
      }),
    );
    expect(new Set(totals).size).to.equal(1);
    expect(Number(totals[0])).to.be.closeTo(0.6000191, 1e-8);
  });

  it('are not held themselves', async () => {
    const metrics = serviceMetrics();
    const held = Array.from({ length: 5 }, () => {
      const [metric] = snapshot(1);
      if (metric === undefined) throw new Error('there is a metric');
      metrics.keep([metric]);
      return new WeakRef(metric);
    });
    await turn();
    collectGarbage();
    expect(held.map((metric) => metric.deref())).to.deep.equal(held.map(() => undefined));
    expect(await metrics.render(NOBODY)).to.include('requests_total{code="200"} 5\n');
  });
});

describe('supervisor: metrics of what is to run', () => {
  it('say that it is down, and nothing once it is not to run', async () => {
    const metrics = serviceMetrics();
    const gauges = /^ringway_(?:console|janitor|swift_api)_up .*$/gm;
    const told = async (...kinds: readonly ChildKind[]) => {
      const slots = kinds.map((kind) => ({ kind, worker: 0, child: undefined }));
      return (
        (await metrics.render({ slots, leaving: [], probeIntervalMs: 1000 })).match(gauges) ?? []
      );
    };
    expect(await told()).to.deep.equal([]);
    expect(await told('console')).to.deep.equal(['ringway_console_up 0']);
    expect(await told('janitor', 'store')).to.have.members([
      'ringway_janitor_up 0',
      'ringway_swift_api_up 0',
    ]);
    expect(await told()).to.deep.equal([]);
  });
});
