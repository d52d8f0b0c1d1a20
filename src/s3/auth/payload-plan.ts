import type { ChecksumAlgorithm } from '../../digest/checksum.js';
import type { HeaderMap } from '../../http/exchange.js';
import type { ByteSource } from '../../lib/cancellation.js';
import { S3Error } from '../errors.js';
import { readBodyChecksums, type BodyChecksums } from './body-checksums.js';

/**
 * The facts about the body in the signed `x-amz-content-sha256`. It alone decides the framing,
 * never `Content-Encoding`: that header may be missing, or repeat the value that a proxy wrote.
 */
export interface PayloadMode {
  /**
   * The SHA-256 of the whole body as the client wrote it: hex of either case, or a value that no
   * body matches.
   */
  readonly sha256: string | undefined;
  readonly framing: 'none' | 'aws-chunked';
  /** Each chunk carries a signature, and so does the trailer. */
  readonly signedChunks: boolean;
  readonly trailer: boolean;
  /** `x-amz-decoded-content-length` goes with it. */
  readonly saysDecodedLength: boolean;
}

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

const HEADER = 'x-amz-content-sha256';
const SHA256_HEX_LENGTH = 64;
const UNSIGNED: PayloadMode = {
  sha256: undefined,
  framing: 'none',
  signedChunks: false,
  trailer: false,
  saysDecodedLength: false,
};
const CHUNKED: PayloadMode = { ...UNSIGNED, framing: 'aws-chunked', saysDecodedLength: true };

const MODES: ReadonlyMap<string, PayloadMode> = new Map([
  [UNSIGNED_PAYLOAD, UNSIGNED],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', { ...CHUNKED, signedChunks: true }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', { ...CHUNKED, signedChunks: true, trailer: true }],
  ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', { ...CHUNKED, trailer: true }],
]);

/** SigV4A: real, but not implemented. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD',
  'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER',
]);

const INVALID = `${HEADER} must be ${[...MODES.keys()].join(', ')} or a valid sha256 value.`;

/** The SHA-256 of nothing, which every request without a body signs. */
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const EMPTY: PayloadMode = { ...UNSIGNED, sha256: EMPTY_SHA256 };

/**
 * Reads the payload mode for signatures of version 4 in a header, which cover the value.
 * @throws S3Error NotImplemented, InvalidArgument
 */
export function parsePayloadMode(contentSha256: string): PayloadMode {
  if (contentSha256 === EMPTY_SHA256) return EMPTY;
  if (contentSha256.length === SHA256_HEX_LENGTH && isHex(contentSha256)) {
    return { ...UNSIGNED, sha256: contentSha256 };
  }
  const mode = MODES.get(contentSha256);
  if (mode !== undefined) return mode;
  if (UNSUPPORTED.has(contentSha256)) {
    throw new S3Error('NotImplemented', undefined, { Header: HEADER });
  }
  throw new S3Error('InvalidArgument', INVALID, {
    ArgumentName: HEADER,
    ArgumentValue: contentSha256,
  });
}

/**
 * Reads the payload mode for all other signatures. The body is never framed, and must have this
 * hash: AWS refuses a body with `invalid` or `STREAMING-…`; for a request without a body, such as
 * GET, the value has no effect (measured by the tests of Swift's s3api).
 */
export function literalPayloadMode(contentSha256: string | undefined): PayloadMode {
  if (contentSha256 === undefined || contentSha256 === UNSIGNED_PAYLOAD) return UNSIGNED;
  if (contentSha256 === EMPTY_SHA256) return EMPTY;
  const saysDecodedLength = contentSha256.startsWith('STREAMING-');
  return { ...UNSIGNED, sha256: contentSha256, saysDecodedLength };
}

/** Whether a text has only hex digits, of either case. */
function isHex(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const digit = code >= 0x30 && code <= 0x39;
    const letter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66;
    if (!digit && !letter) return false;
  }
  return true;
}

export type { ChecksumAlgorithm };

export interface PayloadDigests {
  /** Lower-case hex; undefined if the MD5 was not needed: see {@link Payload.takesMd5}. */
  readonly md5?: string | undefined;
  /** Base64, verified against what the client sent (header or trailer); absent when it sent none. */
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string } | undefined;
}

/**
 * The request's body behind framing and verification: aws-chunked is decoded, payload hash, chunk
 * signatures, trailers, Content-MD5 and checksums are checked. The last bytes are held back until
 * everything agrees, so that a consumer that waits for the end never stores a false body.
 */
export interface Payload {
  /** Bytes after decoding, as announced; undefined when the client announced no length. */
  readonly size: number | undefined;
  /** Whether `digests` is going to tell the MD5. */
  readonly takesMd5: boolean;
  /** The decoded bytes; read once. @throws S3Error when verification fails; ClientAbortedError */
  readonly source: ByteSource;
  /**
   * The whole verified body.
   * @throws S3Error `MaxMessageLengthExceeded` when it is longer than `limit` bytes
   */
  collect(limit: number): Promise<Buffer>;
  /** The digests computed on the way; only after the source has ended or `collect` has resolved. */
  digests(): PayloadDigests;
}

/** The body ends where its framing goes on, or is not framed as it should be. */
export function bodyCutShort(): S3Error {
  return new S3Error('IncompleteBody', 'The request body terminated unexpectedly');
}

/** @param expected bytes that were announced. @param provided bytes that came, or were to come */
export function wrongBodySize(expected: number, provided: number): S3Error {
  return new S3Error('IncompleteBody', undefined, {
    NumberBytesExpected: String(expected),
    NumberBytesProvided: String(provided),
  });
}

export interface PayloadOptions {
  /** The operation does without a body, too: then its length need not be said. */
  readonly bodyOptional?: boolean | undefined;
  /**
   * False for operations whose `x-amz-checksum-*` headers describe an object, and not the body of
   * this request: CompleteMultipartUpload.
   */
  readonly checksumHeadersOfBody?: boolean | undefined;
  /**
   * When the MD5 is taken, which is half of all hashing: always; where a checksum is to be kept,
   * which a listing shows beside the MD5; or, the default, only to compare it with Content-MD5.
   */
  readonly md5?: 'always' | 'with_checksum' | undefined;
}

/** All that is known of a body before its first byte. */
export interface PayloadPlan extends BodyChecksums {
  readonly mode: PayloadMode;
  /** Bytes after decoding; undefined when no length was announced. Always known when chunked. */
  readonly size: number | undefined;
  readonly takesMd5: boolean;
}

const DECODED_LENGTH = 'x-amz-decoded-content-length';

/**
 * Requires a length. Without either header HTTP says that there is no body, but a client that
 * forgot them may have sent one: the upload must not become an empty object.
 * @throws S3Error MissingContentLength, unless the operation does without a body
 */
export function requireLength(headers: HeaderMap, options: PayloadOptions | undefined): void {
  if (headers.has('content-length') || headers.has('transfer-encoding')) return;
  if (options?.bodyOptional !== true) throw new S3Error('MissingContentLength');
}

/**
 * @param contentLength of the body as sent
 * @throws S3Error MissingContentLength, IncompleteBody, and as {@link readBodyChecksums}
 */
export function planPayload(
  mode: PayloadMode,
  headers: HeaderMap,
  contentLength: number | undefined,
  { checksumHeadersOfBody = true, md5 }: PayloadOptions,
): PayloadPlan {
  const checksums = readBodyChecksums(headers, {
    readsHeaders: checksumHeadersOfBody,
    mayHaveTrailer: mode.trailer,
  });
  const decoded = mode.saysDecodedLength ? decodedLength(headers) : contentLength;
  const size = mode.framing === 'aws-chunked' ? decoded : contentLength;
  if (size !== decoded && size !== undefined && decoded !== undefined) {
    throw wrongBodySize(decoded, size);
  }
  const isKept = md5 === 'always' || (md5 === 'with_checksum' && checksums.checksum !== undefined);
  return { mode, size, ...checksums, takesMd5: isKept || checksums.md5 !== undefined };
}

/** @throws S3Error MissingContentLength, also for what is no length: as AWS */
function decodedLength(headers: HeaderMap): number {
  const text = headers.get(DECODED_LENGTH) ?? '';
  const length = Number(text);
  if (isDecimal(text) && Number.isSafeInteger(length)) return length;
  throw new S3Error('MissingContentLength');
}

function isDecimal(text: string): boolean {
  for (const character of text) {
    if (character < '0' || character > '9') return false;
  }
  return text !== '';
}
