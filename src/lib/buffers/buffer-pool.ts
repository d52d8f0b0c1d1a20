/** A small buffer is this part of a large one: 64 KiB of 512 KiB. */
const SMALL_PART = 8;

/** Kept for each large one that is kept: half its memory. */
const SMALL_PER_LARGE = 4;

/**
 * Buffers of two sizes for reading and writing body files, kept for reuse up to a bound: a fresh
 * buffer of 512 KiB costs more than filling it from the page cache, for the kernel zeroes its pages.
 * The small ones are for those of which there may be thousands: uploads that wait for their client.
 */
export class BufferPool {
  readonly #small: Buffer[] = [];
  readonly #large: Buffer[] = [];
  readonly #smallBytes: number;
  #taken = 0;
  #bytesTaken = 0;

  constructor(
    readonly bufferBytes: number,
    private readonly keepMax: number,
  ) {
    this.#smallBytes = Math.ceil(bufferBytes / SMALL_PART);
  }

  /** How many are in use: a test sees here that nothing was leaked. */
  get taken(): number {
    return this.#taken;
  }

  /** Bytes of the buffers in use. */
  get bytesTaken(): number {
    return this.#bytesTaken;
  }

  /** A buffer for so many bytes, or a large one if that is less. */
  take(bytes: number): Buffer {
    const isSmall = bytes <= this.#smallBytes;
    const kept = (isSmall ? this.#small : this.#large).pop();
    const buffer = kept ?? Buffer.allocUnsafeSlow(isSmall ? this.#smallBytes : this.bufferBytes);
    this.#taken++;
    this.#bytesTaken += buffer.length;
    return buffer;
  }

  give(buffer: Buffer): void {
    this.#taken--;
    this.#bytesTaken -= buffer.length;
    const isLarge = buffer.length === this.bufferBytes;
    const [free, max] = isLarge
      ? [this.#large, this.keepMax]
      : [this.#small, this.keepMax * SMALL_PER_LARGE];
    if (free.length < max) free.push(buffer);
  }
}
