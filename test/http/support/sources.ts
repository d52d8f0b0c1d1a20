import type { ByteSource } from '../../../src/lib/cancellation.js';

/**
 * A source that counts what is asked of it. It uses one buffer for all chunks, as a source may:
 * chunk `n` is filled with the byte `n`.
 */
export class CountingSource implements ByteSource {
  /** Chunks handed out. */
  pulled = 0;
  /** Calls of return(). */
  returned = 0;
  /** The end was reached and seen. */
  finished = false;
  readonly #buffer: Buffer;

  constructor(
    private readonly chunks: number,
    readonly chunkBytes: number,
  ) {
    this.#buffer = Buffer.alloc(chunkBytes);
  }

  get length(): number {
    return this.chunks * this.chunkBytes;
  }

  get pulledBytes(): number {
    return this.pulled * this.chunkBytes;
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return {
      next: async () => {
        await new Promise(setImmediate);
        if (this.pulled === this.chunks) {
          this.finished = true;
          return { done: true, value: undefined };
        }
        this.#buffer.fill(this.pulled % 256);
        this.pulled += 1;
        return { done: false, value: this.#buffer };
      },
      return: () => {
        this.returned += 1;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

/** Each of the texts in a turn of its own. */
export async function* texts(...given: string[]) {
  for (const text of given) {
    await new Promise(setImmediate);
    yield Buffer.from(text);
  }
}

/** Where `body` is not what a CountingSource gives; -1 when it is. */
export function firstWrongByte(body: Buffer, chunkBytes: number): number {
  for (let at = 0, n = 0; at < body.length; at += chunkBytes, n++) {
    const chunk = body.subarray(at, at + chunkBytes);
    if (!chunk.equals(Buffer.alloc(chunk.length, n % 256))) return at;
  }
  return -1;
}
