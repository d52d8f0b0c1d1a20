/**
 * Runs a task again and again, never twice at once. Callers that ask while it runs share the next
 * run, which sees what they have changed.
 */
export class OneAtATime<Result> {
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<Result> | undefined;

  constructor(private readonly task: () => Promise<Result>) {}

  run(): Promise<Result> {
    this.#next ??= this.#runNext();
    return this.#next;
  }

  /** Resolves when none runs. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #runNext(): Promise<Result> {
    await this.#running;
    this.#next = undefined;
    const run = this.task();
    this.#running = run.catch(ignore);
    return run;
  }
}

function ignore(): void {
  // The caller of that run gets its error.
}
