import type { ByteSource } from '../../lib/byte-source.js';
import type { ChecksumAlgorithm } from '../../digest/checksum.js';
import { S3Error } from '../s3-error.js';

export type { ChecksumAlgorithm };

export interface PayloadDigests {
  /** Lower-case hex; undefined where nobody needed it: {@link Payload.takesMd5}. */
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
  /** What was computed on the way; only after the source has ended or `collect` has resolved. */
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
