import type { HeaderMap } from '../http/exchange.js';
import { percentDecoded } from '../lib/uri.js';
import { TEXT } from './reply.js';
import { SwiftError } from './swift-error.js';

/**
 * Values of headers whose ends are beyond ASCII. The HTTP library cuts such bytes off before anybody
 * sees them. So a client that wants a value to arrive whole says it once more, percent-encoded:
 *
 *     X-Object-Meta-Title: café
 *     X-Whole-Headers: x-object-meta-title=caf%C3%A9
 *
 * This spells a header of the same request and nothing else: a pair whose cut value is not the one
 * that arrived is refused.
 */
const WHOLE_HEADERS = 'x-whole-headers';

/** The bytes that the library takes from the ends: its characters are signed, so all above 0x7f. */
const CUT = /^[^\x21-\x7f]+|[^\x21-\x7f]+$/g;
/** They would end the header in which the value is told. */
// oxlint-disable-next-line no-control-regex -- they are what this is about
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * The headers, with the values that `X-Whole-Headers` gives.
 * @throws SwiftError 400 for one that is no header of this request
 */
export function withWholeHeaders(headers: HeaderMap): HeaderMap {
  const told = headers.get(WHOLE_HEADERS);
  if (told === undefined) return headers;
  const whole = new Map(headers);
  for (const pair of told.split('&')) {
    const at = pair.indexOf('=');
    const name = decoded(pair.slice(0, Math.max(at, 0)));
    const value = decoded(pair.slice(at + 1));
    if (CONTROL.test(value) || headers.get(name) !== value.replaceAll(CUT, '')) throw refused(pair);
    whole.set(name, value);
  }
  return whole;
}

function decoded(text: string): string {
  const plain = percentDecoded(text);
  if (plain === undefined) throw refused(text);
  return plain;
}

function refused(pair: string): SwiftError {
  return new SwiftError(400, `X-Whole-Headers does not fit the header it names: ${pair}\n`, TEXT);
}
