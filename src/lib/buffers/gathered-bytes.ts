const NOTHING = Buffer.alloc(0);

/**
 * Puts bytes together that come in pieces. Their memory is bounded by their number, and not by the
 * number of the pieces: a buffer takes some 120 bytes, and a client can send a body in pieces of one.
 */
export class GatheredBytes {
  #memory: Buffer = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Takes a copy. */
  add(piece: Uint8Array): void {
    const end = this.#length + piece.length;
    if (end > this.#memory.length) this.#grow(end);
    this.#memory.set(piece, this.#length);
    this.#length = end;
  }

  /** Gives all of them away, so that it is empty again. */
  take(): Buffer {
    const bytes = this.#memory.subarray(0, this.#length);
    this.#memory = NOTHING;
    this.#length = 0;
    return bytes;
  }

  /** The first piece gets what it needs: most often it is the only one. */
  #grow(bytes: number): void {
    const grown = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#memory.length));
    grown.set(this.#memory.subarray(0, this.#length));
    this.#memory = grown;
  }
}
