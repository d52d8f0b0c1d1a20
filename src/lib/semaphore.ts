import { performance } from 'node:perf_hooks';

export interface SemaphoreLimits {
  /** The most that may be inside at once, in the unit of the weights. */
  readonly capacity: number;
  /** How many may wait to enter. */
  readonly queueMax: number;
  /** How long each of them may. */
  readonly waitMsMax: number;
}

/** Why a caller was not let in. */
export type SemaphoreRefusal = 'queue_full' | 'wait_timeout';

interface Waiter {
  readonly weight: number;
  readonly until: number;
  readonly settle: (refusal: SemaphoreRefusal | undefined) => void;
}

/**
 * A weighted semaphore with a line in front of it, bounded in length and in time: what is beyond
 * learns of it soon, while it is still of use, instead of filling the memory.
 *
 * First come, first served: a heavy one at the head is not overtaken by light ones.
 */
export class Semaphore {
  /** The weight that is inside. */
  used = 0;
  readonly #waiters: Waiter[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: SemaphoreLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get waiting(): number {
    return this.#waiters.length;
  }

  /** @returns false when it would have to wait; costs next to nothing */
  tryEnter(weight: number): boolean {
    if (this.#waiters.length > 0 || !this.#fits(weight)) return false;
    this.used += weight;
    return true;
  }

  /** @returns why not; undefined when it is in, and has to `leave` */
  enter(weight: number): Promise<SemaphoreRefusal | undefined> {
    if (this.tryEnter(weight)) return Promise.resolve(undefined);
    const { queueMax, waitMsMax } = this.limits;
    if (this.#waiters.length >= queueMax) return Promise.resolve('queue_full');
    return new Promise((settle) => {
      this.#waiters.push({ weight, until: this.now() + waitMsMax, settle });
      this.#schedule();
    });
  }

  /** Ends a use. Call it once for each `enter` that succeeded, with the same weight. */
  leave(weight: number): void {
    this.used -= weight;
    for (;;) {
      const next = this.#waiters[0];
      if (next === undefined || !this.#fits(next.weight)) return;
      this.#waiters.shift();
      this.used += next.weight;
      next.settle(undefined);
    }
  }

  /** A caller that is heavier than the capacity goes in alone. */
  #fits(weight: number): boolean {
    return this.used === 0 || this.used + weight <= this.limits.capacity;
  }

  /** All callers wait equally long, so the first to come is the first to time out. */
  #schedule(): void {
    const first = this.#waiters[0];
    if (first === undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#refuseDue();
        this.#schedule();
      },
      Math.max(1, first.until - this.now()),
    );
    this.#timer.unref();
  }

  #refuseDue(): void {
    const now = this.now();
    while ((this.#waiters[0]?.until ?? Infinity) <= now) {
      this.#waiters.shift()?.settle('wait_timeout');
    }
    // A lighter one may fit where the head did not.
    this.leave(0);
  }
}
