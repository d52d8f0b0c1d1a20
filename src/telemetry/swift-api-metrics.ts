import { Counter, Registry } from 'prom-client';
import { collectGauge, collectTotal, type MetricSnapshot } from './collected.js';
import { SeriesHistogram } from './histogram.js';

/** A request of the Swift API when all is over. */
export interface FinishedSwiftRequest {
  /** Both from fixed lists: they become labels. */
  readonly resource: string;
  readonly method: string;
  readonly status: number;
  readonly durationS: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** All other methods, which clients make up, are counted as one. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'PUT',
  'POST',
  'DELETE',
  'COPY',
  'OPTIONS',
]);

/** The metrics of the process that serves the store's Swift API; docs/metrics.md describes each. */
export class SwiftApiMetrics {
  readonly registry = new Registry();

  readonly #registers = [this.registry];
  #receivedBytes = 0;
  #sentBytes = 0;

  readonly #requests = new Counter({
    name: 'ringway_swift_api_requests_total',
    help: "Requests to the store's Swift API, by what they are of, method and status code.",
    labelNames: ['resource', 'method', 'code'],
    registers: this.#registers,
  });
  readonly #duration = new SeriesHistogram({
    name: 'ringway_swift_api_request_duration_seconds',
    help: "Time of requests to the store's Swift API, to the last byte of the response.",
    label: 'resource',
    buckets: BUCKETS_S,
    registers: this.#registers,
  });

  /** @param readInProgress - how many requests there are now */
  constructor(readInProgress: () => number) {
    collectTotal({
      name: 'ringway_swift_api_received_bytes_total',
      help: "Bytes of bodies that clients of the store's Swift API sent.",
      read: () => this.#receivedBytes,
      registers: this.#registers,
    });
    collectTotal({
      name: 'ringway_swift_api_sent_bytes_total',
      help: "Bytes of bodies sent to clients of the store's Swift API.",
      read: () => this.#sentBytes,
      registers: this.#registers,
    });
    collectGauge({
      name: 'ringway_swift_api_requests_in_progress',
      help: "Requests to the store's Swift API that are not answered yet.",
      aggregator: 'sum',
      read: readInProgress,
      registers: this.#registers,
    });
  }

  finished({ resource, method, status, durationS, bytesIn, bytesOut }: FinishedSwiftRequest): void {
    const known = METHODS.has(method) ? method : 'other';
    this.#requests.inc({ resource, method: known, code: status });
    this.#duration.series(resource).observe(durationS);
    this.#receivedBytes += bytesIn;
    this.#sentBytes += bytesOut;
  }

  /** All values now, to be sent to the supervisor. */
  async snapshot(): Promise<MetricSnapshot> {
    return this.registry.getMetricsAsJSON();
  }
}
