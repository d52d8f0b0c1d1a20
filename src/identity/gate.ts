import { IdentityUnavailable } from './keystone.js';

export interface GateOptions {
  /** Tasks at the same time. */
  readonly active: number;
  /** Tasks that wait; one more is turned away. */
  readonly waiting: number;
  /** How long a task waits before it is turned away. */
  readonly waitMs: number;
}

interface Waiter {
  readonly enter: () => void;
  readonly timer: NodeJS.Timeout;
}

/** Lets some in and keeps some waiting, in order. */
export class Gate {
  readonly #options: GateOptions;
  readonly #waiters: Waiter[] = [];
  #active = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** @throws IdentityUnavailable when too many wait already, or it waited too long */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#active < this.#options.active) this.#active += 1;
    else await this.#wait();
    try {
      return await task();
    } finally {
      const next = this.#waiters.shift();
      if (next === undefined) this.#active -= 1;
      else next.enter();
    }
  }

  /** A caller that leaves hands its place to the next one. */
  #wait(): Promise<void> {
    const { waiting, waitMs } = this.#options;
    if (this.#waiters.length >= waiting) {
      return Promise.reject(new IdentityUnavailable('too many requests wait for it'));
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        enter: () => {
          clearTimeout(waiter.timer);
          resolve();
        },
        timer: setTimeout(() => {
          this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
          reject(new IdentityUnavailable(`no answer to earlier requests in ${waitMs} ms`));
        }, waitMs),
      };
      this.#waiters.push(waiter);
    });
  }
}
