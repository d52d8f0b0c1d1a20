import type { Clock } from './clock.js';

/** What was not used in this time is lost, so that a pause does not end in a rush. */
const BURST_MS = 100;
/** Shorter waits are left to add up: a timer costs more than they bring. */
const SLEEP_MS_MIN = 5;

/** Spreads calls evenly: at most so many a second, whoever makes them. */
export class Pace {
  readonly #intervalMs: number;
  #next = -Infinity;

  constructor(
    perSecond: number,
    private readonly clock: Clock,
  ) {
    this.#intervalMs = 1000 / perSecond;
  }

  /** Resolves when the next call may be made. @throws the reason of the signal */
  async take(signal: AbortSignal): Promise<void> {
    const now = this.clock.monotonic();
    this.#next = Math.max(this.#next, now - BURST_MS) + this.#intervalMs;
    const wait = this.#next - now;
    if (wait >= SLEEP_MS_MIN) await this.clock.sleep(wait, signal);
  }
}
