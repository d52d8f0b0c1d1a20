import type { IncomingHttpHeaders } from 'node:http';
import type { ClientView } from './client-address.js';

/**
 * Whether a request that changes something comes from a page of this console: browsers say so with
 * `Sec-Fetch-Site`, or `Origin`, and no page can set either. Saying nothing is saying no.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, view: ClientView): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin !== undefined) return origin.toLowerCase() === `${view.scheme}://${view.host}`;
  return site === 'same-origin';
}
