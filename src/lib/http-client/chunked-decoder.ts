import { InvalidResponseError } from './response-head.js';

/** Where the decoder is: what the next byte has to be, or may be. */
type State =
  /** A digit of a chunk's size, or what ends it. */
  | 'size'
  | 'extension'
  | 'size_lf'
  | 'data'
  | 'data_cr'
  | 'data_lf'
  /** The first byte of a trailer field, or of the empty line at the end. */
  | 'trailer'
  | 'trailer_name'
  | 'trailer_value'
  | 'trailer_lf'
  | 'end_lf'
  | 'done';

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;
const COLON = 0x3a;
const TAB = 0x09;

/** More digits would be more than a JavaScript number counts exactly. */
const SIZE_DIGITS_MAX = 13;
/** Extensions and trailers mean nothing here: of each there may be so many bytes. */
const EXTENSION_BYTES_MAX = 256;
const TRAILER_BYTES_MAX = 16 * 1024;

/** A body with `Transfer-Encoding: chunked` (RFC 9112, 7.1), strictly: a line break is CR LF. */
export class ChunkedDecoder {
  #state: State = 'size';
  /** The size that is being read, then what is left of the chunk. */
  #size = 0;
  #digits = 0;
  /** Bytes of the extension of this chunk, or of all trailers. */
  #ignored = 0;

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** The index of the first byte behind the body; that of the end while it is not done. */
  readTo = 0;

  /**
   * Reads bytes, and moves what they have of the body together, to where they begin.
   * @returns the index at which that ends
   * @throws InvalidResponseError
   */
  decode(bytes: Buffer, from: number): number {
    let to = from;
    let at = from;
    while (at < bytes.length && this.#state !== 'done') {
      if (this.#state === 'data') {
        const end = Math.min(bytes.length, at + this.#size);
        if (to !== at) bytes.copyWithin(to, at, end);
        to += end - at;
        this.#size -= end - at;
        at = end;
        if (this.#size === 0) this.#state = 'data_cr';
      } else {
        this.#take(bytes[at] ?? 0);
        at += 1;
      }
    }
    this.readTo = at;
    return to;
  }

  #take(byte: number): void {
    switch (this.#state) {
      case 'size':
        this.#takeSize(byte);
        break;
      case 'extension':
        if (byte === CR) this.#state = 'size_lf';
        else this.#ignore(byte, EXTENSION_BYTES_MAX);
        break;
      case 'size_lf':
        this.#require(byte, LF);
        this.#endSize();
        break;
      case 'data_cr':
        this.#require(byte, CR);
        this.#state = 'data_lf';
        break;
      case 'data_lf':
        this.#require(byte, LF);
        this.#state = 'size';
        break;
      case 'end_lf':
        this.#require(byte, LF);
        this.#state = 'done';
        break;
      default:
        this.#takeTrailer(byte);
    }
  }

  #takeSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      this.#digits += 1;
      if (this.#digits > SIZE_DIGITS_MAX)
        throw new InvalidResponseError('a chunk has no real size');
      this.#size = this.#size * 16 + digit;
      return;
    }
    if (this.#digits === 0 || (byte !== CR && byte !== SEMICOLON)) {
      throw new InvalidResponseError('a chunk does not begin with its size');
    }
    this.#ignored = 0;
    this.#state = byte === CR ? 'size_lf' : 'extension';
  }

  #endSize(): void {
    this.#digits = 0;
    this.#ignored = 0;
    this.#state = this.#size === 0 ? 'trailer' : 'data';
  }

  #takeTrailer(byte: number): void {
    switch (this.#state) {
      case 'trailer':
        if (byte === CR) this.#state = 'end_lf';
        else this.#takeTrailerName(byte);
        break;
      case 'trailer_name':
        if (byte === COLON) this.#state = 'trailer_value';
        else this.#takeTrailerName(byte);
        break;
      case 'trailer_value':
        if (byte === CR) this.#state = 'trailer_lf';
        else this.#ignore(byte, TRAILER_BYTES_MAX);
        break;
      default:
        this.#require(byte, LF);
        this.#state = 'trailer';
    }
  }

  #takeTrailerName(byte: number): void {
    if (byte <= 0x20 || byte === COLON) throw new InvalidResponseError('a trailer has no name');
    this.#ignore(byte, TRAILER_BYTES_MAX);
    this.#state = 'trailer_name';
  }

  #ignore(byte: number, bytesMax: number): void {
    this.#ignored += 1;
    if ((byte < 0x20 && byte !== TAB) || byte === 0x7f || this.#ignored > bytesMax) {
      throw new InvalidResponseError('what is said beside the chunks is not HTTP, or too long');
    }
  }

  #require(byte: number, required: number): void {
    if (byte !== required) throw new InvalidResponseError('a chunk does not end where it has to');
  }
}

/** @returns -1 for what is none */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
