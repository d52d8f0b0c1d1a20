import type { ReadSlabs } from '../buffers/read-slabs.js';

/** A connection's own memory: the head and the body of a small response fit in. */
export const OWN_BYTES = 16 * 1024;

/**
 * The memory that one connection reads into: its own, and a slab while there is much to read. The
 * socket holds on to the memory for the next bytes as soon as it has delivered the last ones, so it
 * gets its own again together with the last bytes of a body, and a connection without a request never
 * holds a slab.
 */
export class ReadMemory {
  readonly #own = Buffer.allocUnsafeSlow(OWN_BYTES);
  #slab: Buffer | undefined;
  /** The memory for the next bytes, which the socket knows. */
  current: Buffer = this.#own;

  constructor(private readonly slabs: ReadSlabs) {}

  /**
   * Chooses the memory for the next bytes. Call it for each delivery of bytes, after they were read
   * or lent.
   * @param isMuch whether a slab is worth it
   * @param isLent whether the bytes that were delivered still have a reader
   */
  choose(isMuch: boolean, isLent: boolean): Buffer {
    if (isMuch) this.#slab ??= this.slabs.take();
    else if (!isLent) this.giveBack();
    return (this.current = isMuch ? (this.#slab ?? this.#own) : this.#own);
  }

  /** The lent memory has no reader any more, and no more bytes of the body come. */
  giveBack(): void {
    if (this.#slab !== undefined) this.slabs.give(this.#slab);
    this.#slab = undefined;
  }

  /** The connection is gone. @param isLent as for choose */
  end(isLent: boolean): void {
    if (this.#slab === undefined) return;
    if (isLent) this.slabs.lose();
    else this.slabs.give(this.#slab);
    this.#slab = undefined;
  }
}
