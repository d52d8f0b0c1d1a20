/**
 * Runs asynchronous actors one instant at a time, in an order drawn from a seed: whenever all of them
 * wait, one goes on.
 */
export class Schedule {
  readonly #waiting: { readonly actor: string; readonly resume: () => void }[] = [];
  readonly #crashed = new Set<string>();

  constructor(private readonly random: () => number) {}

  /** For the calls of one actor: resolves when it is its turn; never, when it has crashed. */
  instantOf(actor: string): () => Promise<void> {
    return () =>
      new Promise((resume) => {
        this.#waiting.push({ actor, resume });
      });
  }

  /** Stops an actor: work under way stays as it is. */
  crash(actor: string): void {
    this.#crashed.add(actor);
  }

  /** Resolves when all actors have finished or crashed. */
  async run(actors: readonly (() => Promise<void>)[]): Promise<void> {
    for (const actor of actors) void actor();
    for (;;) {
      await settled();
      const ready = this.#waiting.filter(({ actor }) => !this.#crashed.has(actor));
      const next = ready[Math.floor(this.random() * ready.length)];
      if (next === undefined) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      next.resume();
    }
  }
}

/** All that can happen without another instant has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
