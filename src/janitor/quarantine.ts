import { mapLimited } from '../lib/promises.js';
import type { Clock } from './clock.js';
import { CONCURRENCY } from './pass-context.js';

interface Waiting {
  /** The due time, by the clock's monotonic time. */
  readonly dueAt: number;
  readonly task: () => Promise<void>;
}

/**
 * Tasks that may be done only a grace period from now: readers that have begun, and writers that
 * have looked already, are done by then. The number of waiting tasks is bounded: a caller that
 * brings more waits as well. The next pass finds again the tasks that are lost with the process.
 */
export class Quarantine {
  /** The waiting removals, in the order in which they are due. */
  #waiting: Waiting[] = [];

  constructor(
    private readonly options: {
      readonly graceMs: number;
      readonly waitingMax: number;
      readonly clock: Clock;
      readonly signal: AbortSignal;
    },
  ) {}

  /** Does what is due by now, too. @throws what a task throws; the reason of the signal */
  async add(task: () => Promise<void>): Promise<void> {
    const { graceMs, waitingMax, clock } = this.options;
    this.#waiting.push({ dueAt: clock.monotonic() + graceMs, task });
    await this.#doDue();
    // Half of them at once, rather than one timer each.
    if (this.#waiting.length >= waitingMax) await this.#waitFor(Math.ceil(waitingMax / 2));
  }

  /** Resolves when all are done. */
  async settle(): Promise<void> {
    while (this.#waiting.length > 0) await this.#waitFor(this.#waiting.length);
  }

  async #waitFor(count: number): Promise<void> {
    const { clock, signal } = this.options;
    const last = this.#waiting[count - 1];
    if (last === undefined) return;
    const wait = last.dueAt - clock.monotonic();
    if (wait > 0) await clock.sleep(wait, signal);
    await this.#doDue();
  }

  async #doDue(): Promise<void> {
    const now = this.options.clock.monotonic();
    const count = this.#waiting.findIndex(({ dueAt }) => dueAt > now);
    const due = this.#waiting.splice(0, count === -1 ? this.#waiting.length : count);
    await mapLimited(due, CONCURRENCY, ({ task }) => task());
  }
}
