import { expect } from 'chai';
import { Registry } from 'prom-client';
import { BackendMetrics } from '../../src/telemetry/backend-metrics.js';

describe('telemetry: backend', () => {
  let registry: Registry;
  let metrics: BackendMetrics;

  beforeEach(() => {
    registry = new Registry();
    metrics = new BackendMetrics([registry]);
  });

  it('counts requests by proxy, method and outcome', async () => {
    const endpoint = 'http://10.0.0.1:8080';
    for (const code of [200, 404, 200, 'timeout']) {
      metrics.requested({ endpoint, method: 'GET', code, durationS: 0.003 });
    }
    metrics.requested({ endpoint: 'http://b', method: 'PUT', code: 201, durationS: 2 });
    const text = await registry.metrics();
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
      /^ringway_backend_up (\d)$/m.exec(await registry.metrics())?.[1];
    expect(await isUp()).to.equal('0');
    metrics.probed(true);
    expect(await isUp()).to.equal('1');
    metrics.probed(false);
    expect(await isUp()).to.equal('0');
  });

  it('counts what was sent once more, by reason', async () => {
    metrics.retried('connect');
    metrics.retried('connect');
    expect(await registry.metrics()).to.include('retries_total{reason="connect"} 2\n');
  });

  it('shows connections only where there is something to watch', async () => {
    expect(await registry.metrics()).not.to.include('ringway_backend_connections{');
    metrics.watchConnections(() => ({ active: 3, idle: 2, waiting: 1 }));
    expect(await registry.metrics())
      .to.include('ringway_backend_connections{state="active"} 3\n')
      .and.include('ringway_backend_connections{state="waiting"} 1\n');
  });
});
