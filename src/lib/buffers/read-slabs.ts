/**
 * Memory that large answers are read into, again and again. Node's own way, a fresh 64 KiB for each
 * read, costs more than the reading: each of them is mapped, faulted in, cold in the cache, and
 * collected late.
 */
export class ReadSlabs {
  readonly #free: Buffer[] = [];
  #out = 0;

  /** @param slabsMax so many are out at once */
  constructor(
    readonly slabBytes: number,
    private readonly slabsMax: number,
  ) {}

  /** @returns undefined when all are out: who asks has to do with less */
  take(): Buffer | undefined {
    if (this.#out === this.slabsMax) return undefined;
    this.#out += 1;
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.slabBytes);
  }

  /** Returns a slab that has no reader any more. */
  give(slab: Buffer): void {
    this.#out -= 1;
    this.#free.push(slab);
  }

  /** Drops a slab that may still have a reader: it is not used again. */
  lose(): void {
    this.#out -= 1;
  }
}
