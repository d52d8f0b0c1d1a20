/** Reads a stream piece by piece; it holds one chunk of it, and what was looked at ahead. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  #ended = false;
  /** How many bytes have been taken. */
  offset = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** The next bytes, which stay where they are; fewer at the end of the stream. */
  async peek(count: number): Promise<Buffer> {
    const parts = [this.#held];
    let length = this.#held.length;
    while (length < count && !this.#ended) {
      const next = await this.#chunks.next();
      if (next.done === true) {
        this.#ended = true;
        break;
      }
      parts.push(next.value);
      length += next.value.length;
    }
    if (parts.length > 1) this.#held = Buffer.concat(parts, length);
    return this.#held.subarray(0, count);
  }

  /** The next bytes; fewer at the end of the stream. */
  async take(count: number): Promise<Buffer> {
    const taken = await this.peek(count);
    this.#held = this.#held.subarray(taken.length);
    this.offset += taken.length;
    return taken;
  }

  /** So many bytes as they come; fewer at the end of the stream. */
  async *chunks(count: number): AsyncGenerator<Buffer, void, undefined> {
    let left = count;
    while (left > 0) {
      if (this.#held.length === 0) await this.peek(1);
      const taken = await this.take(Math.min(left, this.#held.length));
      if (taken.length === 0) return;
      left -= taken.length;
      yield taken;
    }
  }

  /** Ends the stream, read or not. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
