/** How failures in a row become ejections. All times by a clock that never jumps. */
export interface HealthOptions {
  readonly ejectAfter: number;
  readonly ejectMs: number;
  readonly ejectMsMax: number;
}

/**
 * Whether an endpoint is asked. A connection that failed, a time-out, and 502, 503 or 504 count
 * against it; an answer of any other kind clears it. One that was ejected comes back on trial: the
 * next failure ejects it again, for twice as long.
 */
export class EndpointHealth {
  #failures = 0;
  /** In a row, without an answer in between. */
  #ejections = 0;
  #ejectedAt: number | undefined;
  #ejectedForMs = 0;

  constructor(private readonly options: HealthOptions) {}

  get well(): boolean {
    return this.#ejectedAt === undefined;
  }

  /** When it was last given up on; undefined while it is well. */
  get ejectedAt(): number | undefined {
    return this.#ejectedAt;
  }

  /** How long the ejection lasts that `failed` has begun. */
  get ejectedForMs(): number {
    return this.#ejectedForMs;
  }

  /** @returns whether that was an ejection */
  failed(now: number): boolean {
    if (this.#ejectedAt !== undefined) {
      // It was asked since all others were ejected too: now another one is the oldest.
      this.#ejectedAt = now;
      return false;
    }
    this.#failures += 1;
    if (this.#failures < this.options.ejectAfter && this.#ejections === 0) return false;
    this.#eject(now);
    return true;
  }

  /** @returns whether it was ejected until now */
  answered(): boolean {
    const back = this.#ejectedAt !== undefined;
    this.#failures = 0;
    this.#ejections = 0;
    this.#ejectedAt = undefined;
    return back;
  }

  /** A probe was answered: on trial from now on. */
  probed(): void {
    this.#ejectedAt = undefined;
  }

  /** A probe failed: out for longer. */
  probeFailed(now: number): void {
    this.#eject(now);
  }

  #eject(now: number): void {
    const { ejectMs, ejectMsMax } = this.options;
    this.#ejectedForMs = Math.min(ejectMs * 2 ** this.#ejections, ejectMsMax);
    this.#ejections += 1;
    this.#ejectedAt = now;
  }
}
