import { Counter, Registry } from 'prom-client';
import { collectGauge, type MetricSnapshot } from './collected.js';

/** What the gauges are read from. */
export interface ConsoleLoad {
  requestsInProgress(): number;
  sessions(): number;
}

const LOGIN_RESULTS: Readonly<Record<number, string>> = {
  200: 'ok',
  401: 'denied',
  429: 'limited',
};

/** The metrics of the console; docs/metrics.md describes each. */
export class ConsoleMetrics {
  readonly registry = new Registry();

  readonly #registers = [this.registry];
  readonly #requests = new Counter({
    name: 'ringway_console_requests_total',
    help: 'Requests to the console, by status code.',
    labelNames: ['code'],
    registers: this.#registers,
  });
  readonly #logins = new Counter({
    name: 'ringway_console_logins_total',
    help: 'Logins to the console that were tried, by result: ok, denied, limited (too many) or failed (no answer of the store).',
    labelNames: ['result'],
    registers: this.#registers,
  });

  constructor(load: ConsoleLoad) {
    collectGauge(
      {
        name: 'ringway_console_requests_in_progress',
        help: 'Requests to the console that are not answered yet; a page that is open holds one for its events.',
        aggregator: 'sum',
        read: () => load.requestsInProgress(),
      },
      this.#registers,
    );
    collectGauge(
      {
        name: 'ringway_console_sessions',
        help: 'Users of the console who are logged in.',
        aggregator: 'sum',
        read: () => load.sessions(),
      },
      this.#registers,
    );
  }

  /** A request is over. */
  finished(status: number, isLogin: boolean): void {
    this.#requests.inc({ code: status });
    if (isLogin) this.#logins.inc({ result: LOGIN_RESULTS[status] ?? 'failed' });
  }

  /** All values now, to be sent to the supervisor. */
  snapshot(): Promise<MetricSnapshot> {
    return this.registry.getMetricsAsJSON();
  }
}
