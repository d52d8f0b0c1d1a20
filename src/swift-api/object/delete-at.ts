import type { HeaderMap } from '../../http/exchange.js';
import { TEXT } from '../reply.js';
import { SwiftError } from '../swift-error.js';

const INTEGER = /^[+-]?\d{1,15}$/;

/**
 * When an object is to expire, by X-Delete-After or X-Delete-At (Swift's check_delete_headers).
 *
 * @param now - milliseconds since the epoch
 * @returns milliseconds since the epoch; undefined when neither is given
 * @throws SwiftError 400
 */
export function givenDeleteAt(headers: HeaderMap, now: number): number | undefined {
  const after = headers.get('x-delete-after');
  if (after !== undefined) {
    if (!INTEGER.test(after)) throw refused('Non-integer X-Delete-After');
    // Swift counts from the whole second of the request.
    const at = Math.floor(now / 1000) + Number(after);
    if (at * 1000 <= now) throw refused('X-Delete-After in past');
    return at * 1000;
  }
  const at = headers.get('x-delete-at');
  if (at === undefined || at === '') return undefined;
  if (!INTEGER.test(at)) throw refused('Non-integer X-Delete-At');
  if (Number(at) * 1000 <= now) throw refused('X-Delete-At in past');
  return Number(at) * 1000;
}

function refused(message: string): SwiftError {
  return new SwiftError(400, message, TEXT);
}
