import { FakeServer } from './support.js';

const STATUS = {
  pid: 10,
  started_at: '2026-01-01T00:00:00.000Z',
  phase: 'running',
  cpu_s: 1,
  rss_bytes: 1000,
};

/** The gateway's admin port, as little of it as the Monitor needs. */
export class FakeGateway {
  requests = 100;
  failed = 0;
  cpuS = 5;
  readonly lines: string[] = [];
  traced: unknown = {};
  counted: unknown = [];
  /** From when on it has all lines. */
  completeFromUnixMs = 0;
  readonly server = new FakeServer((url) => this.#answer(url));

  #answer(url: URL): unknown {
    switch (url.pathname) {
      case '/metrics':
        return [
          `ringway_requests_total{operation="GetObject",code="200"} ${this.requests}`,
          `ringway_requests_total{operation="GetObject",code="500"} ${this.failed}`,
          `ringway_request_duration_seconds_bucket{operation="GetObject",le="0.1"} ${this.requests}`,
          `ringway_request_duration_seconds_bucket{operation="GetObject",le="+Inf"} ${this.requests}`,
          'ringway_listener_up{worker="1"} 1',
          'ringway_config_last_reload_successful 0',
        ].join('\n');
      case '/statusz':
        return {
          ...STATUS,
          children: [
            {
              kind: 'listener',
              worker: 1,
              pid: 11,
              state: 'up',
              restarts: 2,
              started_at: STATUS.started_at,
              cpu_s: this.cpuS,
              rss_bytes: 2000,
              requests_total: this.requests,
              event_loop_lag_s: 0.01,
            },
            { kind: 'janitor', pid: null, state: 'waiting', restarts: 0, started_at: null },
          ],
        };
      case '/tracez':
        return { entries: [this.traced], next: 1, skipped: 0, listeners: 1 };
      case '/loki/api/v1/query_range': {
        if (url.searchParams.has('step')) {
          const { counted: result, completeFromUnixMs } = this;
          const stats = { tail: { completeFromUnixMs, nowUnixMs: completeFromUnixMs } };
          return { status: 'success', data: { resultType: 'matrix', result, stats } };
        }
        const stream = { service: 'ringway', process: 'listener', worker: '1', level: 'info' };
        const values = this.lines.map((line, index) => [`${1.8e18 + index * 1e9}`, line]);
        return { status: 'success', data: { resultType: 'streams', result: [{ stream, values }] } };
      }
      case '/loki/api/v1/label/process/values':
        return { status: 'success', data: ['supervisor', 'listener'] };
      case '/loki/api/v1/label/node/values':
        return { status: 'success' };
      default:
        return undefined;
    }
  }
}
