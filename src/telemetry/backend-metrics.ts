import { Counter, Gauge } from 'prom-client';
import { failureCause, RecentCallCounts, type RecentCalls } from './backend-failures.js';
import { collectGauge, type Registers } from './collected.js';
import { SeriesHistogram, type HistogramSeries } from './histogram.js';

/** A request to a backend that is reached over a network, when its answer's head is there. */
export interface BackendRequest {
  /** The endpoint as configured, e.g. `http://10.0.0.1:8080`. */
  readonly endpoint: string;
  readonly method: string;
  /** The status; without an answer what went wrong, from a fixed list. */
  readonly code: string | number;
  readonly durationS: number;
}

/** Connections and requests at a moment, by state. */
export type BackendConnections = Readonly<Record<'active' | 'idle' | 'waiting', number>>;

/** From a proxy that answers from memory to one that waits for storage that is down. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface Tally {
  readonly endpoint: string;
  readonly method: string;
  readonly code: string | number;
  requests: number;
}

/** A listener's calls to its backend; counted in plain numbers, as all that runs for a request. */
export class BackendMetrics {
  readonly #requests = new Map<string, Map<string, Map<string | number, Tally>>>();
  readonly #durations = new Map<string, HistogramSeries>();
  readonly #duration: SeriesHistogram;
  readonly #retries: Counter;
  readonly #hedges: Counter;
  readonly #recent = new RecentCallCounts();
  #isUp = false;
  #readConnections: (() => BackendConnections) | undefined;

  constructor(registers: Registers) {
    this.#duration = new SeriesHistogram({
      name: 'ringway_backend_request_duration_seconds',
      help: "Time from a request to the backend to the head of the backend's answer.",
      label: 'method',
      buckets: BUCKETS_S,
      registers,
    });
    this.#retries = new Counter({
      name: 'ringway_backend_retries_total',
      help: 'Requests to the backend that were sent once more, by reason.',
      labelNames: ['reason'],
      registers,
    });
    this.#hedges = new Counter({
      name: 'ringway_backend_hedges_total',
      help: 'Reads that were sent to a second proxy as well, and whether that one answered first.',
      labelNames: ['outcome'],
      registers,
    });
    this.#registerRequests(registers);
    this.#registerFailures(registers);
    this.#registerConnections(registers);
    collectGauge({
      name: 'ringway_backend_up',
      help: 'Whether the last probe of the backend found it well, in every listener.',
      aggregator: 'min',
      read: () => (this.#isUp ? 1 : 0),
      registers,
    });
  }

  probed(isWell: boolean): void {
    this.#isUp = isWell;
  }

  requested({ endpoint, method, code, durationS }: BackendRequest): void {
    const tally = this.#tally(endpoint, method, code);
    tally.requests += 1;
    // A request that its caller gave up, such as a read that another proxy answered, is no call.
    if (code !== 'abort') this.#recent.count(code);
    this.#durationOf(method).observe(durationS);
  }

  retried(reason: string): void {
    this.#retries.inc({ reason });
  }

  /** A read was sent twice. @param won whether the second proxy answered first */
  hedged(won: boolean): void {
    this.#hedges.inc({ outcome: won ? 'won' : 'lost' });
  }

  /** The requests of the last minute. */
  get recent(): RecentCalls {
    return this.#recent.recent;
  }

  /** Sets where a snapshot reads the connections from. */
  watchConnections(read: () => BackendConnections): void {
    this.#readConnections = read;
  }

  #tally(endpoint: string, method: string, code: string | number): Tally {
    const byMethod = getOrAdd(this.#requests, endpoint, () => new Map<string, never>());
    const byCode = getOrAdd(byMethod, method, () => new Map<string | number, never>());
    return getOrAdd(byCode, code, () => ({ endpoint, method, code, requests: 0 }));
  }

  #durationOf(method: string): HistogramSeries {
    return getOrAdd(this.#durations, method, () => this.#duration.series(method));
  }

  *#tallies(): Generator<Tally> {
    for (const byMethod of this.#requests.values()) {
      for (const byCode of byMethod.values()) yield* byCode.values();
    }
  }

  #registerRequests(registers: Registers): void {
    const tallies = () => this.#tallies();
    new Counter({
      name: 'ringway_backend_requests_total',
      help: 'Requests to the backend, by proxy, method and outcome.',
      labelNames: ['endpoint', 'method', 'code'],
      registers,
      collect() {
        this.reset();
        for (const { requests, ...labels } of tallies()) this.inc(labels, requests);
      },
    });
  }

  #registerFailures(registers: Registers): void {
    const tallies = () => this.#tallies();
    new Counter({
      name: 'ringway_backend_failures_total',
      help: 'Requests to the backend that failed, by cause.',
      labelNames: ['cause'],
      registers,
      collect() {
        this.reset();
        for (const { requests, code } of tallies()) {
          const cause = failureCause(code);
          if (cause !== undefined) this.inc({ cause }, requests);
        }
      },
    });
  }

  #registerConnections(registers: Registers): void {
    const read = (): BackendConnections | undefined => this.#readConnections?.();
    new Gauge({
      name: 'ringway_backend_connections',
      help: 'Connections to the backend that carry a request or none, and requests that wait for one.',
      labelNames: ['state'],
      aggregator: 'sum',
      registers,
      collect() {
        for (const [state, count] of Object.entries(read() ?? {})) this.set({ state }, count);
      },
    });
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
