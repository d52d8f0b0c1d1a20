import type { Hash } from 'node:crypto';
import type { ByteSource } from '../../../lib/cancellation.js';
import { ExportFormatError, type ExportLine, parseLine } from './export-lines.js';

/** A list of 10,000 segments takes 2 MB. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/** Reads lines and bodies from a stream, and hashes what was taken of it. */
export class ExportReader {
  readonly #chunks: AsyncIterator<Buffer, unknown>;
  #held: Buffer = Buffer.alloc(0);

  constructor(
    source: ByteSource | AsyncIterable<Buffer>,
    private readonly hash: Hash,
  ) {
    this.#chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, unknown>;
  }

  /**
   * The next line, and the hash of all before it.
   * @throws ExportFormatError when there is none
   */
  async line(): Promise<{ readonly line: ExportLine; readonly before: () => string }> {
    const parts: Buffer[] = [];
    let length = 0;
    for (;;) {
      const at = this.#held.indexOf(LINE_BREAK);
      if (at !== -1) {
        parts.push(this.#held.subarray(0, at + 1));
        this.#held = this.#held.subarray(at + 1);
        break;
      }
      parts.push(this.#held);
      length += this.#held.length;
      if (length > LINE_BYTES_MAX) throw new ExportFormatError('a line of the export has no end');
      await this.#more();
    }
    const bytes = Buffer.concat(parts);
    const line = parseLine(bytes);
    if ('end' in line) {
      const sha256 = this.hash.digest('hex');
      return { line, before: () => sha256 };
    }
    this.hash.update(bytes);
    return { line, before: () => '' };
  }

  /** A body with the line break behind it. @throws (while it is read) ExportFormatError */
  async *body(size: number): AsyncGenerator<Buffer, void, undefined> {
    let left = size;
    while (left > 0) {
      if (this.#held.length === 0) await this.#more();
      const chunk = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(chunk.length);
      left -= chunk.length;
      this.hash.update(chunk);
      yield chunk;
    }
    if (this.#held.length === 0) await this.#more();
    if (this.#held[0] !== LINE_BREAK)
      throw new ExportFormatError('a body has no line break behind it');
    this.hash.update(this.#held.subarray(0, 1));
    this.#held = this.#held.subarray(1);
  }

  /** @throws ExportFormatError when something follows, such as another export */
  async end(): Promise<void> {
    while (this.#held.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return;
      this.#held = next.value;
    }
    throw new ExportFormatError('the export has something behind its last line');
  }

  async #more(): Promise<void> {
    const next = await this.#chunks.next();
    if (next.done === true) throw new ExportFormatError('the export ends early');
    this.#held = next.value;
  }
}

const LINE_BREAK = 0x0a;
