import type { MetricSnapshot } from '../src/telemetry/collected.js';

/** The load of a process, as it said last: at each scrape, and with each report of its health. */
export interface ChildLoad {
  /** Requests that it answered; undefined for processes that answer none. */
  readonly requests_total: number | undefined;
  /** How late its event loop was, 99th percentile. */
  readonly event_loop_lag_s: number | undefined;
}

const REQUESTS = new Set(['ringway_requests_total', 'ringway_swift_api_requests_total']);
const LOOP_LAG = 'ringway_event_loop_lag_seconds';

export function loadOf(metrics: MetricSnapshot): ChildLoad {
  const requests = metrics.find(({ name }) => REQUESTS.has(name));
  const lag = metrics.find(({ name }) => name === LOOP_LAG);
  return {
    requests_total: requests?.values.reduce((sum, { value }) => sum + value, 0),
    event_loop_lag_s: lag?.values.find(({ labels }) => labels.stat === 'p99')?.value,
  };
}
