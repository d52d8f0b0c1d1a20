import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Whether a request brings the token that is asked for: `Authorization: Bearer …`, RFC 6750. */
export class BearerToken {
  readonly #expected: Buffer;

  constructor(token: string) {
    this.#expected = hashed(`Bearer ${token}`);
  }

  isIn({ headers }: IncomingMessage): boolean {
    // Hashes are of the same length, whatever was sent.
    return timingSafeEqual(hashed(headers.authorization ?? ''), this.#expected);
  }
}

function hashed(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
