/** A line each, and the number of those that were left out, is enough to see that it goes on. */
const INTERVAL_MS = 10_000;

/**
 * Lets one line of a kind through in an interval. It is for failures that every request meets, such
 * as a full device: a line for each would fill the log, which may be on that very device.
 */
export class LineSampler {
  #nextAt = -Infinity;
  #leftOut = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @returns how many were left out since the last line; undefined when this one is left out, too */
  take(): number | undefined {
    const now = this.now();
    if (now < this.#nextAt) {
      this.#leftOut += 1;
      return undefined;
    }
    const leftOut = this.#leftOut;
    this.#nextAt = now + INTERVAL_MS;
    this.#leftOut = 0;
    return leftOut;
  }
}
