/** Samples that are kept: enough for a 95th percentile, and soon replaced by newer ones. */
const SAMPLES = 128;
/** Sorting costs some microseconds: not for each sample. */
const SORT_EVERY = 16;

/** How long the last calls took, in milliseconds. */
export class LatencyWindow {
  readonly #samples = new Float64Array(SAMPLES);
  #count = 0;
  #sorted = new Float64Array(0);
  #sortedAt = 0;

  /** Samples since the window was made or cleared. */
  get count(): number {
    return this.#count;
  }

  add(ms: number): void {
    this.#samples[this.#count % SAMPLES] = ms;
    this.#count += 1;
  }

  /**
   * A quantile of the last samples, at most a few samples old.
   * @param q 0 to 1
   * @returns undefined when there are no samples
   */
  quantile(q: number): number | undefined {
    if (this.#sorted.length === 0 || this.#count - this.#sortedAt >= SORT_EVERY) {
      this.#sorted = this.#samples.slice(0, Math.min(this.#count, SAMPLES)).sort();
      this.#sortedAt = this.#count;
    }
    const { length } = this.#sorted;
    return this.#sorted[Math.min(length - 1, Math.floor(q * length))];
  }

  clear(): void {
    this.#count = 0;
    this.#sorted = new Float64Array(0);
    this.#sortedAt = 0;
  }
}
