import type { FilledOptions } from '../src/config/options.js';

export type RestartLimits = Pick<
  FilledOptions,
  'restartBackoffMsMin' | 'restartBackoffMsMax' | 'restartLimit' | 'restartWindowMs'
>;

/**
 * When one listener slot may start its child again: exponential back-off, and an end to a crash
 * loop. Restarts that have left the window are forgiven, which is what "stable again" means.
 */
export class RestartPolicy {
  #recent: number[] = [];

  constructor(private readonly limits: RestartLimits) {}

  /**
   * The child ended unasked.
   * @param now - in milliseconds, monotonic
   * @returns milliseconds to wait, or `give-up` when the limit is reached
   */
  next(now: number): number | 'give-up' {
    const { restartBackoffMsMin, restartBackoffMsMax, restartLimit, restartWindowMs } = this.limits;
    this.#recent = this.#recent.filter((at) => now - at < restartWindowMs);
    if (this.#recent.length >= restartLimit) return 'give-up';
    // The exponent is bounded by the limit of 1000: at worst Infinity, which the maximum bounds.
    const wait = restartBackoffMsMin * 2 ** this.#recent.length;
    this.#recent.push(now);
    return Math.min(wait, restartBackoffMsMax);
  }
}
