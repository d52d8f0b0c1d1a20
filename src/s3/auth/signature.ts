import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { ALGORITHM } from './signature-claim.js';

const SIGNATURE_LENGTH = 64;

/** Filled and compared within one synchronous call. */
const EXPECTED = Buffer.alloc(SIGNATURE_LENGTH);
const PROVIDED = Buffer.alloc(SIGNATURE_LENGTH);

export function stringToSign(amzDate: string, scope: string, canonicalRequest: string): string {
  return `${ALGORITHM}\n${amzDate}\n${scope}\n${hash('sha256', canonicalRequest, 'hex')}`;
}

/** Lower-case hex. */
export function sign(signingKey: Buffer, text: string): string {
  return createHmac('sha256', signingKey).update(text).digest('hex');
}

/** In time that does not depend on where they differ. */
export function isSameSignature(expected: string, provided: string): boolean {
  if (provided.length !== SIGNATURE_LENGTH) return false;
  // UTF-8, since Latin-1 would cut a character above U+00FF down to one that may be right.
  EXPECTED.write(expected, 'utf8');
  PROVIDED.write(provided, 'utf8');
  return timingSafeEqual(EXPECTED, PROVIDED);
}
