import type { Plans } from './plans.js';
import { appendToJournal, type NetLine } from './net-journal.js';

const LINES_MAX = 40;

/** Lines of the net's journal that a full disk had no room for: written when it has. */
export class LateLines {
  #lines: NetLine[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly plans: Plans,
    private readonly retryMs: number,
  ) {}

  readonly add = (line: NetLine): void => {
    this.#lines.push(line);
    if (this.#lines.length > LINES_MAX) this.#lines.shift();
    this.#later();
  };

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #later(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      void this.#write();
    }, this.retryMs).unref();
  }

  async #write(): Promise<void> {
    try {
      for (let [line] = this.#lines; line !== undefined; [line] = this.#lines) {
        const next = line;
        await this.plans.locked(() => appendToJournal(this.plans.folder, next));
        this.#lines = this.#lines.filter((one) => one !== next);
      }
    } catch {
      // Still no room.
    }
    this.#timer = undefined;
    if (this.#lines.length > 0) this.#later();
  }
}
