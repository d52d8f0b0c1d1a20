import { encodeUriComponentAws, encodeUriPath } from '../../../lib/uri.js';
import type { RequestHeaders, SwiftRequest } from '../transport.js';

/** How names and values stand on the wire: raw paths, and header values in UTF-8. */

/** Swift's API has one version. */
const PREFIX = '/v1/';

/** The path as it is sent and signed, with its query. Nothing in it is normalised on the way. */
export function requestPath({
  account,
  container,
  object,
  query,
}: Pick<SwiftRequest, 'account' | 'container' | 'object' | 'query'>): string {
  let path = PREFIX + encodeUriComponentAws(account);
  if (container !== undefined) path += `/${encodeUriComponentAws(container)}`;
  if (object !== undefined) path += `/${encodeUriPath(object)}`;
  return query === undefined || query === '' ? path : `${path}?${query}`;
}

/** Finds the few headers that need decoding: nearly all are plain ASCII. */
const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * Text whose UTF-8 bytes are its characters: both HTTP clients write characters as bytes (latin1).
 */
export function toWireText(value: string): string {
  return BEYOND_ASCII.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value;
}

/** The reverse, where bytes that are no UTF-8 become U+FFFD. */
export function fromWireText(value: string): string {
  return BEYOND_ASCII.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}

/** Name, value, name, value. */
export function pushHeaders(to: string[], headers: RequestHeaders | undefined): void {
  if (headers === undefined) return;
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) to.push(name, toWireText(value));
  }
}

/** What an HTTP client gives, by lower-case name; several of one name are joined as HTTP says. */
export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

export function receivedHeaders(received: ReceivedHeaders): Map<string, string> {
  const headers = new Map<string, string>();
  for (const name in received) {
    const value = received[name];
    if (value === undefined) continue;
    headers.set(name, fromWireText(typeof value === 'string' ? value : value.join(', ')));
  }
  return headers;
}
