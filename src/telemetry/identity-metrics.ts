import { Counter, Gauge } from 'prom-client';
import { collectGauge, type Registers } from './collected.js';
import { SeriesHistogram } from './histogram.js';

/** From a Keystone that answers from its cache to one that waits for its database. */
const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A request to the identity service that has ended. Purpose and code are from fixed lists. */
export interface IdentityCall {
  readonly purpose: string;
  /** The status; without an answer what went wrong. */
  readonly code: string;
  readonly durationS: number;
}

/** The state of an identity service as a listener sees it. */
export interface IdentityState {
  /** Its address as configured. */
  readonly endpoint: string;
  /** Access keys whose secrets are known. */
  readonly knownKeys: () => number;
  /** Whether the service answered when it was asked last. */
  readonly isUp: () => boolean;
}

/** A listener's requests to an identity service; there are no series where there is none. */
export class IdentityMetrics {
  readonly #requests: Counter;
  readonly #lookups: Counter;
  readonly #duration: SeriesHistogram;
  #state: IdentityState | undefined;

  constructor(registers: Registers) {
    this.#requests = new Counter({
      name: 'ringway_identity_requests_total',
      help: 'Requests to the identity service, by purpose and outcome.',
      labelNames: ['purpose', 'code'],
      registers,
    });
    this.#lookups = new Counter({
      name: 'ringway_identity_lookups_total',
      help: 'Users of requests that were looked up, by where they were found.',
      labelNames: ['source'],
      registers,
    });
    this.#duration = new SeriesHistogram({
      name: 'ringway_identity_request_duration_seconds',
      help: "Time from a request to the identity service to the end of the service's answer.",
      label: 'purpose',
      buckets: BUCKETS_S,
      registers,
    });
    this.#registerState(registers);
  }

  requested({ purpose, code, durationS }: IdentityCall): void {
    this.#requests.inc({ purpose, code });
    this.#duration.series(purpose).observe(durationS);
  }

  /** @param source from a fixed list */
  lookedUp(source: string): void {
    this.#lookups.inc({ source });
  }

  /** Sets where a snapshot reads the state from. */
  watch(state: IdentityState): void {
    this.#state = state;
  }

  #registerState(registers: Registers): void {
    const state = (): IdentityState | undefined => this.#state;
    collectGauge({
      name: 'ringway_identity_known_keys',
      help: 'Access keys whose secrets are known to listeners.',
      aggregator: 'sum',
      read: () => this.#state?.knownKeys() ?? 0,
      registers,
    });
    new Gauge({
      name: 'ringway_identity_up',
      help: 'Whether the identity service answered when it was asked last, in every listener.',
      // A gauge without labels would be 0 where there is no identity service.
      labelNames: ['endpoint'],
      aggregator: 'min',
      registers,
      collect() {
        const now = state();
        if (now !== undefined) this.set({ endpoint: now.endpoint }, now.isUp() ? 1 : 0);
      },
    });
  }
}
