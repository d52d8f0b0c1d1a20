import { scratch, ScratchBytes } from '../../lib/buffers/scratch-memory.js';
import { DECLARATION_1_0, REFERENCE_1_1, xmlDeclaration } from './escape.js';

/** Characters that are written at once: V8 joins the pieces of short texts best. */
const BLOCK_LENGTH = 2048;
const UTF8_BYTES_MAX = 3;

/** Less than this is copied out of the scratch memory, and sent in one go. */
const COPIED_BYTES_MAX = 32 * 1024;

/** A whole document; one that is long is sent as a stream, from memory that is used again. */
export type Document = string | Buffer | ScratchBytes;

/**
 * A long document in the making, as the bytes that are sent. As one string a page of 1000 keys is
 * some 10,000 pieces that V8 joins, measures and encodes one after the other: 0.9 ms, and so 0.3 ms.
 */
export class DocumentBytes {
  #bytes: Buffer;
  #length: number = DECLARATION_1_0.length;
  #block = '';
  #reference11 = '';

  /** @param bytes that the document will have, roughly; it may become longer */
  constructor(bytes: number) {
    this.#bytes = scratch.take(this.#length + bytes);
  }

  /** @param markup with its text escaped */
  add(markup: string): void {
    this.#block += markup;
    if (this.#block.length >= BLOCK_LENGTH) this.#flush();
  }

  /** The whole of it, as `xmlDocument` makes it of a string; nothing can be added afterwards. */
  take(): Buffer | ScratchBytes {
    this.#flush();
    // Both declarations have the same length.
    this.#bytes.write(xmlDeclaration(this.#reference11), 0, 'latin1');
    if (this.#length > COPIED_BYTES_MAX)
      return new ScratchBytes(scratch, this.#bytes, this.#length);
    const copied = Buffer.from(this.#bytes.subarray(0, this.#length));
    scratch.give(this.#bytes);
    return copied;
  }

  #flush(): void {
    const block = this.#block;
    this.#block = '';
    if (block.includes(REFERENCE_1_1)) this.#reference11 = REFERENCE_1_1;
    this.#reserve(block.length * UTF8_BYTES_MAX);
    this.#length += this.#bytes.write(block, this.#length, 'utf8');
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    this.#bytes = scratch.grow(this.#bytes, this.#length, needed);
  }
}
