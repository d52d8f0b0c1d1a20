import { expect } from 'chai';
import { Registry } from 'prom-client';
import { STAGE, StageClock } from '../../src/telemetry/stage-clock.js';
import { StageMetrics } from '../../src/telemetry/stage-metrics.js';
import { stageReport } from '../../supervisor/stage-report.js';

describe('supervisor: stage report', () => {
  it('has for each path its requests and stages', async () => {
    const registry = new Registry();
    const metrics = new StageMetrics([registry]);
    for (const [ms, path] of [
      [4, 'get'],
      [2, 'get'],
      [3, 'put'],
    ] as const) {
      let now = 0;
      const clock = new StageClock(0, () => now);
      now = ms;
      clock.enter(STAGE.auth);
      now += 10;
      clock.end(now);
      metrics.finished(clock, path);
    }
    const report = stageReport(await registry.getMetricsAsJSON(), new Date(5500));
    expect(report).to.include({ v: 1, service: 'gateway', since_unix_s: 5 });
    const { get, put } = report.paths;
    expect([get?.requests, put?.requests]).to.deep.equal([2, 1]);
    expect(get?.stages.map(({ id }) => id)).to.deep.equal(['parse', 'auth', 'unattributed']);
    const parse = get?.stages[0];
    expect(parse).to.include({ parent: 'proxy', count: 2, max_s: 0.004 });
    expect(parse?.sum_s).to.be.closeTo(0.006, 1e-9);
    expect(parse?.buckets).to.deep.include([0.001, 0]).and.deep.include([0.0025, 1]);
    expect(parse?.buckets.at(-1)).to.deep.equal([60, 2]);
  });
});
