import { S3Error } from '../s3-error.js';

/**
 * What the signed `x-amz-content-sha256` says of the body. It alone decides the framing, never
 * `Content-Encoding`: that header may be missing, or repeat what a proxy wrote.
 */
export interface PayloadMode {
  /** Of the whole body, as the client wrote it: hex of either case, or what can never be right. */
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

/** SHA-256 of nothing: what every request without a body signs. */
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const EMPTY: PayloadMode = { ...UNSIGNED, sha256: EMPTY_SHA256 };

/**
 * For signatures of version 4 in a header, which are made with the value.
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
 * For all other signatures. Whatever it says, the body is not framed, and has to have this very hash:
 * AWS refuses a body that comes with `invalid` or `STREAMING-…`, and where none is read, as with a
 * GET, the value means nothing (measured by the tests of Swift's s3api).
 */
export function literalPayloadMode(contentSha256: string | undefined): PayloadMode {
  if (contentSha256 === undefined || contentSha256 === UNSIGNED_PAYLOAD) return UNSIGNED;
  if (contentSha256 === EMPTY_SHA256) return EMPTY;
  const saysDecodedLength = contentSha256.startsWith('STREAMING-');
  return { ...UNSIGNED, sha256: contentSha256, saysDecodedLength };
}

/** Only hex digits, of either case. */
function isHex(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const digit = code >= 0x30 && code <= 0x39;
    const letter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66;
    if (!digit && !letter) return false;
  }
  return true;
}
