/** Something took longer than it may. The code is how callers tell it from other errors. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'RINGWAY_TIMEOUT';
}

/**
 * One deadline at a time, for something that sets a new one several times per request. A timer of
 * Node's is only made when the one that runs would come too late: one that comes early looks at what
 * the deadline is by then, so that a connection in steady use makes a timer every few seconds.
 */
export class Deadline {
  #expiresAt = Infinity;
  /** When the timer comes; Infinity while there is none. */
  #dueAt = Infinity;
  #timer: NodeJS.Timeout | undefined;

  /** @param expired called once for each deadline that passes */
  constructor(private readonly expired: () => void) {}

  /** Sets the deadline; replaces an earlier one. @param ms from now */
  arm(ms: number): void {
    const now = performance.now();
    this.#expiresAt = now + ms;
    if (this.#expiresAt < this.#dueAt) this.#schedule(now);
  }

  /** There is no deadline any more. */
  clear(): void {
    this.#expiresAt = Infinity;
  }

  /** Clears it for good, with its timer. */
  close(): void {
    this.#expiresAt = Infinity;
    this.#dueAt = Infinity;
    clearTimeout(this.#timer);
  }

  #schedule(now: number): void {
    clearTimeout(this.#timer);
    this.#dueAt = this.#expiresAt;
    this.#timer = setTimeout(this.#onTimer, Math.ceil(this.#expiresAt - now));
    // The sockets that are waited for keep the process alive, and no timer does.
    this.#timer.unref();
  }

  readonly #onTimer = (): void => {
    this.#dueAt = Infinity;
    if (this.#expiresAt === Infinity) return;
    const now = performance.now();
    // Node's timers count in whole milliseconds, and may be early by less than one.
    if (this.#expiresAt - now > 1) {
      this.#schedule(now);
      return;
    }
    this.#expiresAt = Infinity;
    this.expired();
  };
}
