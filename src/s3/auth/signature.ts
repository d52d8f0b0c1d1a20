import { hash, timingSafeEqual } from 'node:crypto';
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
