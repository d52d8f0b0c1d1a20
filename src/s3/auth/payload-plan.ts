import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../s3-error.js';
import { readBodyChecksums, type BodyChecksums } from './body-checksums.js';
import { wrongBodySize } from './payload.js';
import type { PayloadMode } from './payload-mode.js';

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
 * Without either header HTTP says that there is no body, but a client that forgot them has sent one
 * all the same: it must not find an empty object.
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
