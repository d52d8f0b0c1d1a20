import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The scheme's name is of any case: RFC 9110, 11.1. */
const BEARER = /^Bearer +(\S+)$/i;

/** Whether a request brings the token that is asked for: `Authorization: Bearer …`, RFC 6750. */
export class BearerToken {
  readonly #expected: Buffer;

  constructor(token: string) {
    this.#expected = hashed(token);
  }

  isIn({ headers }: IncomingMessage): boolean {
    const [, given = ''] = BEARER.exec(headers.authorization ?? '') ?? [];
    // Hashes are of the same length, whatever was sent.
    return timingSafeEqual(hashed(given), this.#expected);
  }
}

function hashed(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
