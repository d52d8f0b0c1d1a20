import { S3Error } from '../s3-error.js';
import { TrailerReader } from './trailer-reader.js';

/**
 * Decoder of `aws-chunked`, which AWS puts inside the HTTP body:
 *
 *     10000;chunk-signature=<64 hex>\r\n      the signature only where chunks are signed
 *     <65536 bytes>\r\n
 *     0;chunk-signature=<64 hex>\r\n
 *     x-amz-checksum-crc32:<base64>\r\n       only where a trailer was announced
 *     x-amz-trailer-signature:<64 hex>\r\n    only where chunks are signed
 *     \r\n
 *
 * It is fed the body as it arrives, split anywhere, and passes bytes on at once: a chunk's
 * signature can only be checked behind its last byte, but nothing becomes visible before the body
 * is whole (VerifiedPayload), so that no chunk has to be held.
 */

export interface ChunkVerifier {
  beginChunk(signature: string): void;
  update(bytes: Buffer): void;
  /** @throws S3Error SignatureDoesNotMatch */
  endChunk(): void;
  /** @param text the trailers as they are signed. @throws S3Error SignatureDoesNotMatch */
  verifyTrailer(text: string, signature: string): void;
}

export interface ChunkedFormat {
  /** Bytes after decoding, as announced. */
  readonly size: number;
  /** Lower-case names of the trailers that were announced; undefined when there can be none. */
  readonly trailers: readonly string[] | undefined;
  /** Signed chunks, but for the last one, are at least this long. */
  readonly signedChunkBytesMin?: number | undefined;
}

type State = 'header' | 'data' | 'data-end' | 'trailer' | 'done';

/** `ffffffffffff;chunk-signature=` and 64 hex are 95. */
const HEADER_BYTES_MAX = 128;
const SIZE_DIGITS_MAX = 12;
const EXTENSION = ';chunk-signature=';
const LINE_FEED = 0x0a;

/** AWS's rule (`InvalidChunkSizeError`); it bounds the HMACs that a body can cost. */
const SIGNED_CHUNK_BYTES_MIN = 8192;

export class ChunkedDecoder {
  #state: State = 'header';
  /** The beginning of a line whose end has not arrived, as Latin-1. */
  #line = '';
  #chunkLeft = 0;
  #decoded = 0;
  #shortChunk = false;
  readonly #trailers: TrailerReader;
  readonly #signedChunkBytesMin: number;

  constructor(
    private readonly format: ChunkedFormat,
    private readonly verifier: ChunkVerifier | undefined,
  ) {
    this.#trailers = new TrailerReader(format.trailers, verifier);
    this.#signedChunkBytesMin = format.signedChunkBytesMin ?? SIGNED_CHUNK_BYTES_MIN;
  }

  /**
   * Takes the next piece of the body.
   * @returns decoded pieces: views of `raw`
   * @throws S3Error InvalidRequest (malformed framing), IncompleteBody (more bytes than announced),
   *   InvalidChunkSizeError, SignatureDoesNotMatch, MalformedTrailerError
   */
  *decode(raw: Buffer): Generator<Buffer, void, undefined> {
    let position = 0;
    while (position < raw.length) {
      if (this.#state !== 'data') {
        position = this.#readLine(raw, position);
        continue;
      }
      const bytes = raw.subarray(position, position + this.#chunkLeft);
      position += bytes.length;
      this.#chunkLeft -= bytes.length;
      if (this.#chunkLeft === 0) this.#state = 'data-end';
      this.verifier?.update(bytes);
      yield bytes;
    }
  }

  /**
   * The body has ended.
   * @returns the verified trailers
   * @throws S3Error IncompleteBody
   */
  end(): ReadonlyMap<string, string> {
    if (this.#state !== 'done') throw new S3Error('IncompleteBody');
    return this.#trailers.values;
  }

  /** @returns the position behind the line, or behind `raw` when it goes on in the next piece */
  #readLine(raw: Buffer, position: number): number {
    if (this.#state === 'done') throw malformed('bytes follow its end');
    const lineFeed = raw.indexOf(LINE_FEED, position);
    const end = lineFeed === -1 ? raw.length : lineFeed;
    if (this.#line.length + end - position > this.#lineBytesMax())
      throw malformed('a line is too long');
    const line = this.#line + raw.toString('latin1', position, end);
    if (lineFeed === -1) {
      this.#line = line;
      return end;
    }
    this.#line = '';
    this.#takeLine(line);
    return end + 1;
  }

  #lineBytesMax(): number {
    return this.#state === 'trailer' ? this.#trailers.bytesLeft : HEADER_BYTES_MAX;
  }

  /** @param line without its line feed */
  #takeLine(line: string): void {
    if (this.#state === 'trailer') {
      if (this.#trailers.take(line)) this.#state = 'done';
      return;
    }
    if (!line.endsWith('\r')) throw malformed('a line ends without CR LF');
    if (this.#state === 'header') this.#takeHeader(line.slice(0, -1));
    else this.#takeDataEnd(line);
  }

  #takeHeader(header: string): void {
    const { size, signature } = parseHeader(header, this.verifier !== undefined);
    if (size > this.format.size - this.#decoded) throw new S3Error('IncompleteBody');
    if (size > 0 && this.#shortChunk) throw new S3Error('InvalidChunkSizeError');
    this.#shortChunk = this.verifier !== undefined && size < this.#signedChunkBytesMin;
    this.verifier?.beginChunk(signature);
    this.#decoded += size;
    this.#chunkLeft = size;
    this.#state = 'data';
    if (size === 0) this.#takeLastChunk();
  }

  #takeDataEnd(line: string): void {
    if (line !== '\r') throw malformed('a chunk is longer than its header says');
    this.verifier?.endChunk();
    this.#state = 'header';
  }

  #takeLastChunk(): void {
    this.verifier?.endChunk();
    if (this.#decoded !== this.format.size) throw new S3Error('IncompleteBody');
    this.#state = 'trailer';
  }
}

function parseHeader(header: string, signed: boolean): { size: number; signature: string } {
  const semicolon = header.indexOf(';');
  const digits = semicolon === -1 ? header : header.slice(0, semicolon);
  const extension = semicolon === -1 ? '' : header.slice(semicolon);
  const size = parseSize(digits);
  if (!signed) {
    if (extension !== '') throw malformed('a chunk header has an extension');
    return { size, signature: '' };
  }
  if (!extension.startsWith(EXTENSION)) throw malformed('a chunk has no signature');
  return { size, signature: extension.slice(EXTENSION.length) };
}

function parseSize(digits: string): number {
  if (digits === '' || digits.length > SIZE_DIGITS_MAX)
    throw malformed('a chunk size is missing or too long');
  let size = 0;
  for (const digit of digits) {
    const value = '0123456789abcdef'.indexOf(digit.toLowerCase());
    if (value === -1) throw malformed('a chunk size is not hexadecimal');
    size = size * 16 + value;
  }
  return size;
}

function malformed(what: string): S3Error {
  return new S3Error('InvalidRequest', `The aws-chunked body is malformed: ${what}.`);
}
