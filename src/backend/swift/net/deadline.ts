/** One timer for the phases of a call, of which one is timed at a time. */
export class Deadline {
  #timer: NodeJS.Timeout | undefined;
  #ms = 0;
  #expired: () => void = () => undefined;

  /** Starts the deadline from now; replaces an earlier one. */
  arm(ms: number, expired: () => void): void {
    this.#expired = expired;
    if (this.#timer !== undefined && this.#ms === ms) {
      this.#timer.refresh();
      return;
    }
    this.clear();
    this.#ms = ms;
    this.#timer = setTimeout(() => {
      this.#expired();
    }, ms);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
