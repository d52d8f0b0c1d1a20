/** A generator that says the same for the same seed, on every machine: mulberry32. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** From 0 to `below - 1`. */
  integer(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws Error when there is nothing to pick */
  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error('there is nothing to pick');
    return from[this.integer(from.length)] as T;
  }
}

/** Of a case of its own, whatever cases came before it: so one can be repeated alone. */
export function caseRandom(seed: number, index: number): SeededRandom {
  return new SeededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
}
