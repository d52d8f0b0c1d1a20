import { hash, timingSafeEqual } from 'node:crypto';
import { S3Error, type ErrorDetails } from '../s3-error.js';
import { ALGORITHM } from './signature-claim.js';

export function stringToSign(amzDate: string, scope: string, canonicalRequest: string): string {
  return `${ALGORITHM}\n${amzDate}\n${scope}\n${hash('sha256', canonicalRequest, 'hex')}`;
}

/** In time that does not depend on where they differ. */
export const isSameSignature = signatureComparison(64);

/**
 * @param length of a signature, in characters of ASCII
 * @returns a comparison in time that does not depend on where the two differ
 */
export function signatureComparison(
  length: number,
): (expected: string, provided: string) => boolean {
  // Filled and compared within one synchronous call.
  const expectedBytes = Buffer.alloc(length);
  const providedBytes = Buffer.alloc(length);
  return (expected, provided) => {
    if (provided.length !== length) return false;
    // UTF-8, since Latin-1 would cut a character above U+00FF down to one that may be right. What
    // does not fit is not written: the bytes of an earlier signature would stand in its place.
    expectedBytes.write(expected, 'utf8');
    if (providedBytes.write(provided, 'utf8') !== length) return false;
    return timingSafeEqual(expectedBytes, providedBytes);
  };
}

/** Longer texts are not told byte by byte: an answer is not to be many times its request. */
const BYTES_TOLD_MAX = 8192;

/** What a signature was compared with. */
export interface Mismatch {
  readonly accessKey: string;
  readonly stringToSign: string;
  /** The signature as sent. */
  readonly provided: string;
  /** Of version 4. */
  readonly canonicalRequest?: string | undefined;
}

/**
 * `SignatureDoesNotMatch` with all that a client needs to find its mistake, element by element as AWS
 * answers it; never anything secret.
 */
export function signatureMismatch(of: Mismatch): S3Error {
  const { accessKey, stringToSign, provided, canonicalRequest } = of;
  return new S3Error('SignatureDoesNotMatch', undefined, {
    AWSAccessKeyId: accessKey,
    StringToSign: stringToSign,
    SignatureProvided: provided,
    ...bytesOf('StringToSignBytes', stringToSign),
    ...(canonicalRequest !== undefined && {
      CanonicalRequest: canonicalRequest,
      ...bytesOf('CanonicalRequestBytes', canonicalRequest),
    }),
  });
}

/** In hex, with blanks between. */
function bytesOf(name: string, text: string): ErrorDetails {
  if (text.length > BYTES_TOLD_MAX) return {};
  const hex = Buffer.from(text).toString('hex');
  return { [name]: hex.replaceAll(/..(?!$)/g, '$& ') };
}
