import { expect } from 'chai';
import { Registry } from 'prom-client';
import { BACKEND_FAILURES } from '../../console/surfaces/monitor/panels/gateway.js';
import { failureCause, RecentCallCounts } from '../../src/telemetry/backend-failures.js';
import { BackendMetrics } from '../../src/telemetry/backend-metrics.js';
import { useEach } from '../support/fixture.js';

describe('telemetry: backend', () => {
  const registry = useEach(() => new Registry());
  const metrics = useEach(() => new BackendMetrics([registry()]));

  it('counts requests by proxy, method and outcome', async () => {
    const endpoint = 'http://10.0.0.1:8080';
    for (const code of [200, 404, 200, 'timeout']) {
      metrics().requested({ endpoint, method: 'GET', code, durationS: 0.003 });
    }
    metrics().requested({ endpoint: 'http://b', method: 'PUT', code: 201, durationS: 2 });
    const text = await registry().metrics();
    expect(text)
      .to.include(
        'ringway_backend_requests_total{endpoint="http://10.0.0.1:8080",method="GET",code="200"} 2\n',
      )
      .and.include('method="GET",code="404"} 1\n')
      .and.include('method="GET",code="timeout"} 1\n')
      .and.include('{endpoint="http://b",method="PUT",code="201"} 1\n')
      .and.include('ringway_backend_request_duration_seconds_count{method="GET"} 4\n')
      .and.include('ringway_backend_request_duration_seconds_bucket{le="0.005",method="GET"} 4\n')
      .and.include('ringway_backend_request_duration_seconds_bucket{le="1",method="PUT"} 0\n');
  });

  it('is up when the last probe found the backend well', async () => {
    const isUp = async (): Promise<string | undefined> =>
      /^ringway_backend_up (\d)$/m.exec(await registry().metrics())?.[1];
    expect(await isUp()).to.equal('0');
    metrics().probed(true);
    expect(await isUp()).to.equal('1');
    metrics().probed(false);
    expect(await isUp()).to.equal('0');
  });

  it('counts what was sent once more, by reason', async () => {
    metrics().retried('connect');
    metrics().retried('connect');
    expect(await registry().metrics()).to.include('retries_total{reason="connect"} 2\n');
  });

  it('counts failures by cause, and reads that were sent twice', async () => {
    const codes = [200, 404, 412, 401, 429, 498, 500, 502, 503, 507, 'connect', 'hung', 'abort'];
    for (const code of codes)
      metrics().requested({ endpoint: 'p', method: 'GET', code, durationS: 1 });
    metrics().hedged(true);
    const text = await registry().metrics();
    const causes = [...text.matchAll(/failures_total\{cause="(\w+)"\} (\d+)/g)].map(
      ([, ...all]) => all,
    );
    expect(Object.fromEntries(causes)).to.deep.equal({
      ...{ '401': '1', '429': '2', '5xx': '2', '503': '1', '507': '1' },
      ...{ refused: '1', hung: '1' },
    });
    expect(text).to.include('ringway_backend_hedges_total{outcome="won"} 1\n');
    expect(metrics().recent).to.deep.include({ calls: codes.length - 1, failed: 9 });
  });

  it('counts the same failures as the chart of the console', () => {
    const codes = [200, 304, 401, 403, 404, 409, 412, 416, 429, 497, 498, 499, 500, 503, 507, 599];
    for (const code of [...codes, 'connect', 'reset', 'timeout', 'hung', 'abort', 'body']) {
      const isFailure = failureCause(code) !== undefined;
      expect(BACKEND_FAILURES.value.test(String(code)), String(code)).to.equal(isFailure);
    }
  });

  it('forgets requests after a minute', () => {
    let now = 0;
    const counts = new RecentCallCounts(() => now);
    for (const code of [200, 503, 'timeout']) counts.count(code);
    now = 59_999;
    counts.count(200);
    expect(counts.recent).to.deep.equal({ calls: 4, failed: 2, causes: { '503': 1, timeout: 1 } });
    now = 60_000;
    expect(counts.recent).to.deep.equal({ calls: 1, failed: 0, causes: {} });
    now = 200_000;
    expect(counts.recent.calls).to.equal(0);
    counts.count('reset');
    expect(counts.recent).to.deep.equal({ calls: 1, failed: 1, causes: { reset: 1 } });
  });

  it('shows connections only where there is something to watch', async () => {
    expect(await registry().metrics()).not.to.include('ringway_backend_connections{');
    metrics().watchConnections(() => ({ active: 3, idle: 2, waiting: 1 }));
    expect(await registry().metrics())
      .to.include('ringway_backend_connections{state="active"} 3\n')
      .and.include('ringway_backend_connections{state="waiting"} 1\n');
  });
});
