import { scratch, ScratchBytes } from '../../lib/buffers/scratch-memory.js';
import { ASCII_END, DECLARATION_1_0, REFERENCE_1_1, xmlDeclaration } from './escape.js';

/** Characters that are written at once: V8 joins the pieces of short texts best. */
const BLOCK_LENGTH = 2048;
const UTF8_BYTES_MAX = 3;

/** Less than this is copied out of the scratch memory, and sent in one go. */
const COPIED_BYTES_MAX = 32 * 1024;

/** A whole document; one that is long is sent as a stream, from memory that is used again. */
export type Document = string | Buffer | ScratchBytes;

/** Escaped markup that is added many times, encoded once. */
export class Markup {
  readonly bytes: Uint8Array;
  /** Whether a document with it has to be XML 1.1. */
  readonly needs11: boolean;

  constructor(escaped: string) {
    this.bytes = Buffer.from(escaped);
    this.needs11 = escaped.includes(REFERENCE_1_1);
  }
}

/**
 * A long document in the making, as the bytes that are sent. As one string a page of 1000 keys is
 * some 10,000 pieces that V8 joins, measures and encodes one after the other: 0.9 ms, and so 0.3 ms.
 *
 *     room for the head   declaration   what was added
 *     ◀── the head, and the declaration in front of it, once the rest is known
 */
export class DocumentBytes {
  #bytes: Buffer<ArrayBuffer>;
  /** Where what was added begins. */
  #start: number;
  #length: number;
  #block = '';
  #reference11 = '';

  /**
   * @param bytes that the document will have, roughly; it may become longer
   * @param headRoom bytes for what is known last and stands first, roughly
   */
  constructor(bytes: number, headRoom = 0) {
    this.#start = headRoom + DECLARATION_1_0.length;
    this.#length = this.#start;
    this.#bytes = scratch.take(this.#start + bytes);
  }

  /** @param markup with its text escaped */
  add(markup: string): void {
    this.#block += markup;
    if (this.#block.length >= BLOCK_LENGTH) this.#flush();
  }

  addMarkup(markup: Markup): void {
    if (this.#block !== '') this.#flush();
    if (markup.needs11) this.#reference11 = REFERENCE_1_1;
    const { bytes } = markup;
    const { length } = bytes;
    this.#reserve(length);
    this.#bytes.set(bytes, this.#length);
    this.#length += length;
  }

  /**
   * Adds a text without making an escaped string of it.
   * @param plain - by code of ASCII: 1 for a character that stands for itself
   * @returns false when the text has another character: then nothing is added
   */
  addPlain(text: string, plain: Uint8Array): boolean {
    if (this.#block !== '') this.#flush();
    const { length } = text;
    this.#reserve(length);
    const target = this.#bytes;
    const start = this.#length;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code >= ASCII_END || plain[code] !== 1) return false;
      target[start + i] = code;
    }
    this.#length = start + length;
    return true;
  }

  /**
   * The whole of it, as `xmlDocument` makes it of a string; nothing can be added afterwards.
   * @param head stands in front of what was added
   */
  take(head = ''): Buffer | ScratchBytes {
    this.#flush();
    this.#note(head);
    // Both declarations have the same length.
    const begin = this.#beginOf(Buffer.byteLength(head) + DECLARATION_1_0.length);
    const headAt = begin + this.#bytes.write(xmlDeclaration(this.#reference11), begin, 'latin1');
    this.#bytes.write(head, headAt, 'utf8');
    const length = this.#length - begin;
    if (length > COPIED_BYTES_MAX) return new ScratchBytes(scratch, this.#bytes, length, begin);
    const copied = Buffer.from(this.#bytes.subarray(begin, this.#length));
    scratch.give(this.#bytes);
    return copied;
  }

  /** Where the document begins, with so many bytes in front of what was added. */
  #beginOf(bytes: number): number {
    const missing = bytes - this.#start;
    if (missing > 0) {
      this.#reserve(missing);
      this.#bytes.copyWithin(bytes, this.#start, this.#length);
      this.#start = bytes;
      this.#length += missing;
    }
    return this.#start - bytes;
  }

  #flush(): void {
    const block = this.#block;
    this.#block = '';
    this.#note(block);
    this.#reserve(block.length * UTF8_BYTES_MAX);
    this.#length += this.#bytes.write(block, this.#length, 'utf8');
  }

  #note(markup: string): void {
    if (markup.includes(REFERENCE_1_1)) this.#reference11 = REFERENCE_1_1;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    this.#bytes = scratch.grow(this.#bytes, this.#length, needed);
  }
}
