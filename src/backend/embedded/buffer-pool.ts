/**
 * Equal buffers for reading and writing body files, kept for reuse up to a bound: a fresh buffer of
 * 512 KiB costs more than filling it from the page cache, for the kernel zeroes its pages.
 */
export class BufferPool {
  readonly #free: Buffer[] = [];
  #taken = 0;

  constructor(
    readonly bufferBytes: number,
    private readonly keepMax: number,
  ) {}

  /** How many are in use: a test sees here that nothing was leaked. */
  get taken(): number {
    return this.#taken;
  }

  take(): Buffer {
    this.#taken++;
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bufferBytes);
  }

  give(buffer: Buffer): void {
    this.#taken--;
    if (this.#free.length < this.keepMax) this.#free.push(buffer);
  }
}
