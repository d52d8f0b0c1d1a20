import { S3Error } from '../s3-error.js';
import type { ChunkVerifier } from './chunked-decoder.js';

/** All trailers together; the real ones have some 200 bytes. */
const TRAILER_BYTES_MAX = 16_384;
const SIGNATURE_NAME = 'x-amz-trailer-signature';

/**
 * Reads what stands behind the last chunk of an aws-chunked body, line by line:
 *
 *     x-amz-checksum-crc32:<base64>\r\n
 *     x-amz-trailer-signature:<64 hex>\r\n
 *     \r\n
 *
 * minio-go (mc, and many programs in Go) writes the first line as `…\n\r\n`, as AWS's
 * documentation has it: so a bare LF ends a line, and one empty line may stand before the
 * signature.
 */
export class TrailerReader {
  readonly values = new Map<string, string>();
  #bytesLeft = TRAILER_BYTES_MAX;
  /** What is signed: `name:value\n` of each. */
  #text = '';
  #signature: string | undefined;
  #emptyLine = false;

  /**
   * @param announced lower-case names; undefined when the body may have no trailer at all
   * @param verifier where chunks, and so trailers, are signed
   */
  constructor(
    private readonly announced: readonly string[] | undefined,
    private readonly verifier: ChunkVerifier | undefined,
  ) {}

  get bytesLeft(): number {
    return this.#bytesLeft;
  }

  /**
   * @param line without its line feed, as Latin-1
   * @returns true when it was the last
   * @throws S3Error MalformedTrailerError, SignatureDoesNotMatch
   */
  take(line: string): boolean {
    this.#bytesLeft -= line.length + 1;
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text !== '') {
      this.#takeTrailer(text);
      return false;
    }
    if (!this.#isSigned() || this.#signature !== undefined) {
      this.#requireComplete();
      return true;
    }
    if (this.#emptyLine) throw malformed();
    this.#emptyLine = true;
    return false;
  }

  #isSigned(): boolean {
    return this.announced !== undefined && this.verifier !== undefined;
  }

  #takeTrailer(text: string): void {
    const colon = text.indexOf(':');
    if (colon <= 0 || this.#signature !== undefined) throw malformed();
    const name = text.slice(0, colon).toLowerCase();
    const value = trimBlanks(text.slice(colon + 1));
    if (name === SIGNATURE_NAME && this.#isSigned()) {
      this.verifier?.verifyTrailer(this.#text, value);
      this.#signature = value;
      return;
    }
    const isExpected = this.announced?.includes(name) === true && !this.values.has(name);
    if (!isExpected || this.#emptyLine) throw malformed();
    this.values.set(name, value);
    this.#text += `${name}:${value}\n`;
  }

  #requireComplete(): void {
    if (this.values.size !== (this.announced?.length ?? 0)) throw malformed();
  }
}

/** Spaces and tabs only: `trim` would take a stray control character with them. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function malformed(): S3Error {
  return new S3Error('MalformedTrailerError');
}
