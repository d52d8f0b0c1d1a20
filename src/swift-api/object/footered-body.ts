import type { ByteSource } from '../../lib/byte-source.js';

/** Splits a body into content of a known size and what follows it, which is small and kept. */
export class FooteredBody {
  readonly #tail: Buffer[] = [];

  /** @param each - sees each chunk of the content once, before it is given on */
  constructor(
    private readonly source: ByteSource,
    private readonly size: number,
    private readonly each: (chunk: Buffer) => void,
  ) {}

  /** To be read once, to its end. */
  async *content(): AsyncGenerator<Buffer, void> {
    let left = this.size;
    for await (const chunk of this.source) {
      const content = chunk.length <= left ? chunk : chunk.subarray(0, left);
      left -= content.length;
      // A chunk is the source's again when the next one is asked for.
      if (content.length < chunk.length)
        this.#tail.push(Buffer.from(chunk.subarray(content.length)));
      if (content.length === 0) continue;
      this.each(content);
      yield content;
    }
  }

  /** What followed the content, when that was read to its end. */
  footers(): Buffer {
    return Buffer.concat(this.#tail);
  }
}
