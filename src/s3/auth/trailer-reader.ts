import { S3Error } from '../errors.js';
import type { ChunkVerifier } from './chunked-decoder.js';
import { bodyCutShort } from './payload-plan.js';

/** All trailers together; the real ones have some 200 bytes. */
const TRAILER_BYTES_MAX = 16_384;
const SIGNATURE_NAME = 'x-amz-trailer-signature';

/**
 * Reads what stands behind the last chunk of an aws-chunked body, line by line:
 *
 *     x-amz-checksum-crc32:<base64>\r\n
 *     x-amz-trailer-signature:<64 hex>\r\n      only where chunks are signed
 *     \r\n                                      may be missing
 *
 * minio-go (mc, and many programs in Go) ends the first line with `\n\r\n`, as AWS's documentation
 * has it: the line feed is white space at the end of the value. If a name occurs twice, the last
 * trailer counts.
 */
export class TrailerReader {
  readonly values = new Map<string, string>();
  #bytesLeft = TRAILER_BYTES_MAX;
  /** The text that is signed: `name:value\n` of each. */
  #text = '';
  #isSigned = false;

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
   * @param line without its end, as Latin-1
   * @returns true when it was the empty one behind all trailers
   * @throws S3Error MalformedTrailerError, SignatureDoesNotMatch, IncompleteBody
   */
  take(line: string): boolean {
    this.#bytesLeft -= line.length + 2;
    if (line === '') {
      this.end();
      return true;
    }
    this.#takeTrailer(line);
    return false;
  }

  /** No more of them comes. @throws S3Error MalformedTrailerError, IncompleteBody */
  end(): void {
    if (this.values.size !== (this.announced?.length ?? 0)) throw malformed();
    if (this.#needsSignature() && !this.#isSigned) throw bodyCutShort();
  }

  #needsSignature(): boolean {
    return this.announced !== undefined && this.verifier !== undefined;
  }

  #takeTrailer(line: string): void {
    const colon = line.indexOf(':');
    if (colon <= 0 || this.#isSigned) throw malformed();
    const name = line.slice(0, colon).toLowerCase();
    const value = trimBlanks(line.slice(colon + 1));
    if (name === SIGNATURE_NAME && this.#needsSignature()) {
      this.#takeSignature(value);
      return;
    }
    if (this.announced?.includes(name) !== true) throw malformed();
    this.values.set(name, value);
    this.#text += `${name}:${value}\n`;
  }

  #takeSignature(signature: string): void {
    // AWS takes a signature of nothing for a body that is not whole.
    if (this.announced?.length === 0) throw bodyCutShort();
    this.verifier?.verifyTrailer(this.#text, signature);
    this.#isSigned = true;
  }
}

/** Blanks and line feeds only: `trim` would take a stray control character with them. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n';
}

function malformed(): S3Error {
  return new S3Error('MalformedTrailerError');
}
