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
 * Text whose UTF-8 bytes are its characters: the HTTP client writes characters as bytes (latin1).
 */
export function toWireText(value: string): string {
  return BEYOND_ASCII.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value;
}

/** Name, value, name, value. */
export function pushHeaders(to: string[], headers: RequestHeaders | undefined): void {
  if (headers === undefined) return;
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) to.push(name, toWireText(value));
  }
}

/** A value whose first or last byte is beyond ASCII: Ringway's own store gets it without them. */
const ENDS_BEYOND_ASCII = /^[^\0-\x7f]|[^\0-\x7f]$/;

/** `X-Whole-Headers` for the values that arrive cut otherwise: see src/swift-api/whole-headers.ts. */
export function wholeHeaders(headers: RequestHeaders | undefined): RequestHeaders {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!ENDS_BEYOND_ASCII.test(value)) continue;
    pairs.push(`${encodeUriComponentAws(name.toLowerCase())}=${encodeUriComponentAws(value)}`);
  }
  return pairs.length === 0 ? {} : { 'x-whole-headers': pairs.join('&') };
}
