import { Counter, Histogram, type Registry } from 'prom-client';
import { collectGauge } from './collected.js';

/** From a millisecond to the longest wait that is likely to be configured. */
const WAIT_BUCKETS_S = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The load at present: requests and bodies under way, and waiting. */
export interface AdmissionLoad {
  readonly requests: { readonly used: number; readonly waiting: number };
  readonly bodies: { readonly used: number; readonly waiting: number };
}

/** How full the listener is, and what it sends away. */
export class AdmissionMetrics {
  readonly #rejected: Counter<'reason'>;
  readonly #wait: Histogram;

  constructor(private readonly registers: Registry[]) {
    this.#rejected = new Counter({
      name: 'ringway_admission_rejected_total',
      help: 'Requests answered with SlowDown, by what there was too much of.',
      labelNames: ['reason'],
      registers,
    });
    this.#wait = new Histogram({
      name: 'ringway_admission_wait_seconds',
      help: 'Time that requests waited to be admitted, of those that had to.',
      buckets: WAIT_BUCKETS_S,
      registers,
    });
    this.#registerLoad();
  }

  #load: AdmissionLoad | undefined;

  watch(load: AdmissionLoad): void {
    this.#load = load;
  }

  rejected(reason: string): void {
    this.#rejected.inc({ reason });
  }

  waited(seconds: number): void {
    this.#wait.observe(seconds);
  }

  #registerLoad(): void {
    const gauges: readonly (readonly [string, string, (load: AdmissionLoad) => number])[] = [
      [
        'ringway_admission_in_flight',
        'Requests that were admitted and are not over, by weight.',
        ({ requests }) => requests.used,
      ],
      [
        'ringway_admission_body_bytes',
        'Memory that bodies under way may take.',
        ({ bodies }) => bodies.used,
      ],
      [
        'ringway_admission_waiting',
        'Requests that wait to be admitted.',
        ({ requests, bodies }) => requests.waiting + bodies.waiting,
      ],
    ];
    for (const [name, help, read] of gauges) {
      const value = (): number => (this.#load === undefined ? 0 : read(this.#load));
      collectGauge({ name, help, aggregator: 'sum', read: value, registers: this.registers });
    }
  }
}
