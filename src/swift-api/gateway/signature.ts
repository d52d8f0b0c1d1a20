import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestHead } from '../../http/exchange.js';
import { SwiftError } from '../swift-error.js';
import { TEXT } from '../reply.js';

/**
 * Whether a request is a gateway's, by the contract that the filter in a real Swift's proxies keeps
 * (ops/swift/): a store with a secret speaks it too, so that gateways can use it in Swift's place.
 */

/** The version of the contract; `/info` shows it. */
export const WIRE_VERSION = 1;

/** How far the clocks may be apart, either way. */
const WINDOW_S = 300;
const TIME = /^\d{1,12}$/;

/**
 * @returns false for a request without a signature, which is some client's
 * @throws SwiftError 403 for a wrong one, so that a wrong secret is noticed
 */
export function isGateway(request: RequestHead, secrets: readonly string[], nowS: number): boolean {
  const time = request.headers.get('x-gateway-time');
  const signature = request.headers.get('x-gateway-signature');
  if (secrets.length === 0 || (time === undefined && signature === undefined)) return false;
  if (time === undefined || signature === undefined) {
    throw refused('X-Gateway-Time and X-Gateway-Signature belong together');
  }
  if (!TIME.test(time)) throw refused('X-Gateway-Time is not a number of seconds');
  const given = Buffer.from(signature.toLowerCase());
  let good = false;
  // All are tried, whichever fits: the time tells nothing.
  for (const secret of secrets) {
    const wanted = Buffer.from(sign(secret, request, time));
    good = (wanted.length === given.length && timingSafeEqual(wanted, given)) || good;
  }
  if (!good) throw refused('X-Gateway-Signature does not match: is the secret the same?');
  if (Math.abs(nowS - Number(time)) > WINDOW_S) {
    throw refused(`X-Gateway-Time is more than ${WINDOW_S} seconds off`);
  }
  return true;
}

function sign(secret: string, { method, rawPath, rawQuery }: RequestHead, time: string): string {
  const path = rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`;
  return createHmac('sha256', secret).update(`${method}\n${path}\n${time}`).digest('hex');
}

function refused(reason: string): SwiftError {
  return new SwiftError(403, `${reason}\n`, TEXT);
}
