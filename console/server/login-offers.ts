import { createHash, timingSafeEqual } from 'node:crypto';
import type { LoginOffer } from '../../src/processes/protocol.js';

/** The login that the service's terminal offers by a link: there is one at a time, and it works once. */
export class LoginOffers {
  #offer: LoginOffer | undefined;

  constructor(private readonly now: () => number) {}

  /** Takes the place of the one before. */
  offer(offer: LoginOffer): void {
    this.#offer = offer;
  }

  /**
   * The body that the login page would send.
   * @returns undefined when the token is not of an offer, or that was taken or is too old
   */
  take(token: string): Pick<LoginOffer, 'account' | 'user' | 'key'> | undefined {
    const offer = this.#offer;
    if (offer === undefined || !isSame(token, offer.token)) return undefined;
    this.#offer = undefined;
    const { untilMs, account, user, key } = offer;
    return this.now() < untilMs ? { account, user, key } : undefined;
  }
}

/** Compares in a time that says nothing of what is right. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
