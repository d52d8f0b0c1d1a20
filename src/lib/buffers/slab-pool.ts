/**
 * Slabs of one size that are used again and again: uploads would otherwise leave a fresh buffer of
 * up to 512 KiB behind for each piece that arrives, and the garbage collector comes late to memory
 * outside its heap (200 MiB of it seen with eight uploads).
 */
export class SlabPool {
  readonly #free: Buffer[] = [];

  constructor(
    readonly slabBytes: number,
    private readonly keepMax: number,
  ) {}

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.slabBytes);
  }

  give(slab: Buffer): void {
    if (this.#free.length < this.keepMax) this.#free.push(slab);
  }
}
