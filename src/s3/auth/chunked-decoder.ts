import { S3Error } from '../errors.js';
import { bodyCutShort, wrongBodySize } from './payload-plan.js';
import { TrailerReader } from './trailer-reader.js';
import { trimWhiteSpace as trimBlanks } from './white-space.js';

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
 * Blanks may stand around the chunk's parameter, the empty line at the end may be missing, and what
 * stands behind it means nothing: so does AWS read it, as the tests of Swift's s3api measured. A body
 * that is framed in another way is `IncompleteBody` there, whatever is wrong with it.
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
const SIGNATURE_PARAMETER = 'chunk-signature';
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** AWS's rule (`InvalidChunkSizeError`); it bounds the HMACs that a body can cost. */
const SIGNED_CHUNK_BYTES_MIN = 8192;

export class ChunkedDecoder {
  #state: State = 'header';
  /** The beginning of a line whose end has not arrived, as Latin-1. */
  #line = '';
  #chunkLeft = 0;
  #decoded = 0;
  #chunks = 0;
  /** Size of the chunk before, where only the last one may be that short. */
  #shortChunk: number | undefined;
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
   * @throws S3Error IncompleteBody (malformed framing, or more bytes than announced),
   *   InvalidChunkSizeError, SignatureDoesNotMatch, MalformedTrailerError
   */
  *decode(raw: Buffer): Generator<Buffer, void, undefined> {
    let position = 0;
    while (position < raw.length && this.#state !== 'done') {
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
   * @throws S3Error IncompleteBody, MalformedTrailerError
   */
  end(): ReadonlyMap<string, string> {
    if (this.#state === 'trailer' && this.#line === '') this.#trailers.end();
    else if (this.#state !== 'done') throw bodyCutShort();
    return this.#trailers.values;
  }

  /** @returns the position behind the line, or behind `raw` when it goes on in the next piece */
  #readLine(raw: Buffer, position: number): number {
    const lineEnd = this.#endOfLine(raw, position);
    const end = lineEnd ?? raw.length;
    if (this.#line.length + end - position > this.#lineBytesMax()) throw this.#tooLong();
    const line = this.#line + raw.toString('latin1', position, end);
    this.#line = lineEnd === undefined ? line : '';
    if (lineEnd !== undefined) this.#takeLine(line.slice(0, -2));
    return end;
  }

  /**
   * The position behind the next CR LF. A line feed alone ends no line: minio-go has one within a
   * trailer.
   */
  #endOfLine(raw: Buffer, position: number): number | undefined {
    let at = raw.indexOf(LINE_FEED, position);
    while (at !== -1) {
      const before = at > position ? raw[at - 1] : this.#line.charCodeAt(this.#line.length - 1);
      if (before === CARRIAGE_RETURN) return at + 1;
      at = raw.indexOf(LINE_FEED, at + 1);
    }
    return undefined;
  }

  #lineBytesMax(): number {
    return this.#state === 'trailer' ? this.#trailers.bytesLeft : HEADER_BYTES_MAX;
  }

  #tooLong(): S3Error {
    return this.#state === 'trailer' ? new S3Error('MalformedTrailerError') : bodyCutShort();
  }

  /** @param line without its end */
  #takeLine(line: string): void {
    if (this.#state === 'trailer') {
      if (this.#trailers.take(line)) this.#state = 'done';
    } else if (this.#state === 'header') this.#takeHeader(line);
    else this.#takeDataEnd(line);
  }

  #takeHeader(header: string): void {
    const { size, signature } = parseHeader(header, this.verifier !== undefined);
    const decoded = this.#decoded + size;
    if (decoded > this.format.size) throw wrongBodySize(this.format.size, decoded);
    this.#chunks += 1;
    if (size > 0 && this.#shortChunk !== undefined) {
      throw new S3Error('InvalidChunkSizeError', undefined, {
        Chunk: String(this.#chunks),
        BadChunkSize: String(this.#shortChunk),
      });
    }
    const isShort = this.verifier !== undefined && size < this.#signedChunkBytesMin;
    this.#shortChunk = isShort ? size : undefined;
    this.verifier?.beginChunk(signature);
    this.#decoded = decoded;
    this.#chunkLeft = size;
    this.#state = 'data';
    if (size === 0) this.#takeLastChunk();
  }

  #takeDataEnd(line: string): void {
    if (line !== '') throw bodyCutShort();
    this.verifier?.endChunk();
    this.#state = 'header';
  }

  #takeLastChunk(): void {
    this.verifier?.endChunk();
    if (this.#decoded !== this.format.size) throw wrongBodySize(this.format.size, this.#decoded);
    this.#state = 'trailer';
  }
}

/** @throws S3Error IncompleteBody */
function parseHeader(header: string, signed: boolean): { size: number; signature: string } {
  const [digits = '', ...parameters] = header.split(';').map(trimBlanks);
  const size = parseSize(digits);
  if (signed) return { size, signature: parseSignature(parameters) };
  if (parameters.length > 0) throw bodyCutShort();
  return { size, signature: '' };
}

/**
 * A parameter with another name has no signature that could be right: the chunk's check finds that.
 * @throws S3Error IncompleteBody
 */
function parseSignature([parameter = '', ...more]: readonly string[]): string {
  const equals = parameter.indexOf('=');
  const value = trimBlanks(parameter.slice(equals + 1));
  if (equals === -1 || value === '') throw bodyCutShort();
  if (trimBlanks(parameter.slice(0, equals)) !== SIGNATURE_PARAMETER) return '';
  if (more.length > 0) throw bodyCutShort();
  return value;
}

function parseSize(digits: string): number {
  if (digits === '' || digits.length > SIZE_DIGITS_MAX) throw bodyCutShort();
  let size = 0;
  for (const digit of digits) {
    const value = '0123456789abcdef'.indexOf(digit.toLowerCase());
    if (value === -1) throw bodyCutShort();
    size = size * 16 + value;
  }
  return size;
}
