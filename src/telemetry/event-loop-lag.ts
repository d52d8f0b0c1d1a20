import { monitorEventLoopDelay, performance, type IntervalHistogram } from 'node:perf_hooks';

/**
 * How often a timer looks at the loop: a delay of this length or more is always seen, half of it in
 * every second case. Each look wakes an idle process, for 60 to 80 microseconds.
 */
const RESOLUTION_MS = 40;

/** A value covers at least this much of the past, however often it is read. */
const WINDOW_MS = 30_000;

/** Seconds by which the loop was late. */
export interface Lag {
  readonly p99: number;
  readonly max: number;
}

/**
 * How late the event loop ran, over the last 30 to 60 seconds: the current window and the one
 * before, so that a spike is not lost to another reader just before a scrape.
 */
export class EventLoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #previous: Lag = { p99: 0, max: 0 };
  #windowStart = performance.now();

  constructor() {
    this.#histogram.enable();
  }

  read(): Lag {
    const current = this.#current();
    const lag = {
      p99: Math.max(current.p99, this.#previous.p99),
      max: Math.max(current.max, this.#previous.max),
    };
    if (performance.now() - this.#windowStart >= WINDOW_MS) {
      this.#previous = current;
      this.#windowStart = performance.now();
      this.#histogram.reset();
    }
    return lag;
  }

  close(): void {
    this.#histogram.disable();
  }

  #current(): Lag {
    return {
      p99: lateness(this.#histogram.percentile(99)),
      max: lateness(this.#histogram.max),
    };
  }
}

/** The histogram holds the time from tick to tick, in nanoseconds; the timer's period is no lag. */
function lateness(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
}
