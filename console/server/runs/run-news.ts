import type { Events } from '../events.js';
import type { OpenRun } from './open-run.js';
import { viewOf, type RunEntry } from './run.js';

/** A run of a thousand steps a second need not say so as often. */
const EVERY_MS = 250;

/** Tells pages of runs: of each new state at once, of progress four times a second. */
export class RunNews {
  readonly #toldAt = new Map<string, number>();
  readonly #waiting = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly events: Pick<Events, 'publish'>,
    private readonly now: () => number,
  ) {}

  changed(run: OpenRun): void {
    const { id, state } = run.entry;
    const isNews = state !== 'active' || run.progress === null;
    const waitMs = EVERY_MS - (this.now() - (this.#toldAt.get(id) ?? 0));
    if (isNews || waitMs <= 0) {
      this.#tell(run);
      return;
    }
    if (this.#waiting.has(id)) return;
    // The last progress before a long step is told as well.
    const timer = setTimeout(() => {
      this.#tell(run);
    }, waitMs);
    this.#waiting.set(id, timer.unref());
  }

  over(run: OpenRun, entry: RunEntry): void {
    this.#forget(entry.id);
    this.events.publish('runs', viewOf(entry, run.progress));
  }

  close(): void {
    for (const id of [...this.#waiting.keys()]) this.#forget(id);
  }

  #tell(run: OpenRun): void {
    this.#forget(run.entry.id);
    this.#toldAt.set(run.entry.id, this.now());
    this.events.publish('runs', viewOf(run.entry, run.progress));
  }

  #forget(id: string): void {
    clearTimeout(this.#waiting.get(id));
    this.#waiting.delete(id);
    this.#toldAt.delete(id);
  }
}
