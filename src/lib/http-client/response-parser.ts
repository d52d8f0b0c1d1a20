import { ChunkedDecoder } from './chunked-decoder.js';
import { InvalidResponseError, parseResponseHead, type ResponseHead } from './response-head.js';

/** Hears of heads while bytes are read. */
export interface HeadListener {
  /** `100 Continue`. */
  onContinue(): void;
  /** The head of the response itself. */
  onHead(head: ResponseHead): void;
}

const NOTHING = Buffer.alloc(0);
const HEAD_END = Buffer.from('\r\n\r\n');
const BEGINNING = 'HTTP/1.';
/** A server may say that it is still at work; one that says nothing else is not. */
const INFORMATIONAL_MAX = 16;

/**
 * Reads responses, one at a time, from bytes as they come. It keeps nothing but a head that is not
 * complete, of which it has a copy.
 */
export class ResponseParser {
  /** The response is complete. */
  isDone = false;
  /** There were bytes behind the response, which no request asked for. */
  hasExcess = false;
  head: ResponseHead | undefined;

  #isHead = false;
  #informational = 0;
  /** Bytes still to come of a body whose end is found by counting. */
  #left = 0;
  #chunks: ChunkedDecoder | undefined;
  #held: Buffer = NOTHING;
  #heldBytes = 0;

  /** @param headBytesMax of one head */
  constructor(private readonly headBytesMax: number) {}

  /** Bytes of body that are still to come; Infinity when that is not known. */
  get bytesLeft(): number {
    if (this.isDone || this.head === undefined) return 0;
    return typeof this.head.framing === 'number' ? this.#left : Infinity;
  }

  /** A request was sent: its response is next. @param isHead whether it was HEAD */
  begin(isHead: boolean): void {
    this.isDone = false;
    this.hasExcess = false;
    this.head = undefined;
    this.#isHead = isHead;
    this.#informational = 0;
    this.#chunks = undefined;
    this.#forget();
  }

  /**
   * @param bytes changed where they are a chunked body
   * @returns the part of them that is body
   * @throws InvalidResponseError
   */
  read(bytes: Buffer, listener: HeadListener): Buffer {
    let at = 0;
    while (this.head === undefined) {
      at = this.#readHead(bytes, at, listener);
      if (at === -1) return NOTHING;
    }
    return this.#readBody(bytes, at, this.head);
  }

  /**
   * The connection has ended.
   * @returns whether the response is complete by that
   */
  end(): boolean {
    if (this.head?.framing === 'close') this.isDone = true;
    return this.isDone;
  }

  /** @returns the index behind the head; -1 when more bytes have to come */
  #readHead(bytes: Buffer, from: number, listener: HeadListener): number {
    const held = this.#heldBytes;
    const text = held === 0 ? this.#headIn(bytes, from) : this.#headAcross(bytes, from);
    if (text === undefined) return -1;
    const head = parseResponseHead(text, this.#isHead);
    const to = from + text.length + HEAD_END.length - held;
    this.#forget();
    if (head.status >= 200) {
      this.head = head;
      this.#begin(head);
      listener.onHead(head);
    } else {
      this.#informational += 1;
      if (head.status === 101 || this.#informational > INFORMATIONAL_MAX) {
        throw new InvalidResponseError(`it has the status ${head.status}`);
      }
      if (head.status === 100) listener.onContinue();
    }
    return to;
  }

  #headIn(bytes: Buffer, from: number): string | undefined {
    const end = bytes.indexOf(HEAD_END, from);
    if (end !== -1) {
      if (end - from > this.headBytesMax) throw tooLong();
      return bytes.toString('latin1', from, end);
    }
    this.#hold(bytes, from);
    return undefined;
  }

  /** The head of which a beginning is held. */
  #headAcross(bytes: Buffer, from: number): string | undefined {
    const searchFrom = Math.max(0, this.#heldBytes - HEAD_END.length + 1);
    this.#hold(bytes, from);
    const end = this.#held.subarray(0, this.#heldBytes).indexOf(HEAD_END, searchFrom);
    return end === -1 ? undefined : this.#held.toString('latin1', 0, end);
  }

  #hold(bytes: Buffer, from: number): void {
    // The head may end in these bytes, and a long body begin.
    const count = Math.min(bytes.length - from, this.headBytesMax + 1 - this.#heldBytes);
    const end = this.#heldBytes + count;
    if (end > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(end, 2 * this.#held.length, 1024));
      this.#held.copy(grown, 0, 0, this.#heldBytes);
      this.#held = grown;
    }
    bytes.copy(this.#held, this.#heldBytes, from, from + count);
    this.#heldBytes = end;
    const begun = this.#held.toString('latin1', 0, Math.min(end, BEGINNING.length));
    if (!BEGINNING.startsWith(begun)) throw new InvalidResponseError('it is not HTTP/1.1');
    if (end > this.headBytesMax && !this.#held.subarray(0, end).includes(HEAD_END)) throw tooLong();
  }

  #forget(): void {
    this.#held = NOTHING;
    this.#heldBytes = 0;
  }

  #begin({ framing }: ResponseHead): void {
    if (framing === 'chunked') this.#chunks = new ChunkedDecoder();
    else this.#left = framing === 'close' ? Infinity : framing;
    this.isDone = framing === 0;
  }

  #readBody(bytes: Buffer, from: number, { framing }: ResponseHead): Buffer {
    let to: number;
    let readTo: number;
    if (this.#chunks === undefined) {
      to = framing === 'close' ? bytes.length : Math.min(bytes.length, from + this.#left);
      readTo = to;
      this.#left -= to - from;
      this.isDone = this.#left === 0;
    } else {
      to = this.#chunks.decode(bytes, from);
      readTo = this.#chunks.readTo;
      this.isDone = this.#chunks.isDone;
    }
    if (readTo < bytes.length) this.hasExcess = true;
    return from === to ? NOTHING : bytes.subarray(from, to);
  }
}

function tooLong(): InvalidResponseError {
  return new InvalidResponseError('its head is too long');
}
