import { expect } from 'chai';
import { loadOf } from '../../supervisor/child-load.js';
import { usageOf } from '../../supervisor/process-usage.js';
import type { MetricSnapshot } from '../../src/telemetry/collected.js';

function metric(name: string, values: readonly (readonly [object, number])[]) {
  return { name, values: values.map(([labels, value]) => ({ labels, value })) };
}

describe('what a process takes and does', () => {
  it('is what the kernel says of it, in seconds and bytes', () => {
    const before = process.cpuUsage();
    const usage = usageOf(process.pid);
    const after = process.cpuUsage();
    if (usage === undefined) throw new Error('there is no /proc');
    const seconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6;
    // A tick of the kernel's clock, to either side.
    expect(usage.cpu_s).to.be.within(seconds(before) - 0.03, seconds(after) + 0.03);
    const { rss } = process.memoryUsage();
    expect(usage.rss_bytes).to.be.within(rss / 2, rss * 2);
  });

  it('is unknown of a process that has gone', () => {
    expect(usageOf(undefined)).to.equal(undefined);
    // Above the highest that Linux gives.
    expect(usageOf(2 ** 30)).to.equal(undefined);
  });

  it('is what it counted, of all operations', () => {
    const metrics = [
      metric('ringway_requests_total', [[{ code: '200' }, 3], [{ code: '404' }, 2]]),
      metric('ringway_event_loop_lag_seconds', [[{ stat: 'max' }, 9], [{ stat: 'p99' }, 0.5]]),
    ] as unknown as MetricSnapshot; // prettier-ignore
    expect(loadOf(metrics)).to.deep.equal({ requests_total: 5, event_loop_lag_s: 0.5 });
    expect(loadOf([])).to.deep.equal({ requests_total: undefined, event_loop_lag_s: undefined });
  });
});
