/** Numbers that look random, and are the same for the same seed on every machine: mulberry32. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A random integer from 0 to `below - 1`. */
  integer(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  /** Shuffles in place: every order is equally likely. */
  shuffle(items: number[]): void {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.integer(last + 1);
      const item = items[last] ?? 0;
      items[last] = items[other] ?? 0;
      items[other] = item;
    }
  }
}
