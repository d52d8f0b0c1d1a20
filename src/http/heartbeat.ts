/** Something that needs a look now and then while it waits. */
export interface Touchable {
  /** @param now `performance.now()` */
  touch(now: number): void;
}

/**
 * One timer for all that waits (paused uploads, streamed responses, closing connections), instead
 * of a timer per request. It runs only while something waits and never keeps the process alive.
 */
export class Heartbeat {
  readonly #waiting = new Set<Touchable>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly intervalMs: number) {}

  add(entry: Touchable): void {
    this.#waiting.add(entry);
    this.#timer ??= setInterval(() => {
      this.#beat();
    }, this.intervalMs).unref();
  }

  delete(entry: Touchable): void {
    this.#waiting.delete(entry);
  }

  #beat(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = performance.now();
    for (const entry of this.#waiting) entry.touch(now);
  }
}
