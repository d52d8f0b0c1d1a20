import type { ByteSource } from '../../lib/byte-source.js';

const NOTHING = Buffer.alloc(0);

/** Hands a stream out in pieces of given sizes, one after the other. */
export class BodyReader {
  readonly #chunks: AsyncIterator<Buffer>;
  /** Of the last chunk, what no piece has taken yet: valid until the next chunk is asked for. */
  #rest: Buffer = NOTHING;

  constructor(source: ByteSource) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** The next bytes, fewer at the end of the stream. To be read to its end before the next piece. */
  async *take(size: number): AsyncGenerator<Buffer> {
    for (let missing = size; missing > 0;) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) return;
        this.#rest = next.value;
      }
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  /** Lets go of the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
