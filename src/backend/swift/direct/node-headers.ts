import { unquoted } from '../stored-object.js';
import type { ProxyReason } from './way.js';

/**
 * An object server's headers of an object, in the words of the filter in the proxies
 * (ops/swift/ringway_filter/headers.py): the rest of the backend does not see which way was taken.
 */

type Headers = ReadonlyMap<string, string>;

const GATEWAY_PREFIXES: readonly (readonly [string, string])[] = [
  ['x-object-sysmeta-', 'x-gateway-sysmeta-object-'],
  ['x-object-transient-sysmeta-', 'x-gateway-sysmeta-transient-'],
];
const LINK_PREFIXES: readonly (readonly [string, string])[] = [
  ['x-object-sysmeta-', 'x-gateway-link-sysmeta-'],
  ['x-object-transient-sysmeta-', 'x-gateway-link-transient-'],
];
const BACKEND = 'x-backend-';
const KNOWN_BACKEND: ReadonlySet<string> = new Set([
  'x-backend-timestamp',
  'x-backend-data-timestamp',
  'x-backend-durable-timestamp',
  'x-backend-fragments',
]);
/** For listings: the size of a large object (clean_content_type in swift/proxy/controllers/base.py). */
const SWIFT_BYTES = /;\s*swift_bytes=[^;]*$/;
const TARGET = 'x-object-sysmeta-symlink-target';
/** The ETag that the target has to have. */
const TARGET_ETAG = `${TARGET}-etag`;
const PLAIN_LINK: ReadonlySet<string> = new Set([TARGET, TARGET_ETAG, `${TARGET}-bytes`]);

/** Why only a proxy can make an answer of it; undefined when it can be read as it is. */
export function refusalOf(headers: Headers): ProxyReason | undefined {
  if (headers.has('x-object-manifest')) return 'dynamic_large_object';
  if (!headers.has('x-backend-data-timestamp')) return 'not_understood';
  for (const name of headers.keys()) {
    if (/^x-object-(?:transient-)?sysmeta-crypto-/.test(name)) return 'encrypted';
    if (name.startsWith('x-object-sysmeta-ec-')) return 'erasure_coded';
    if (name.startsWith(BACKEND) && !KNOWN_BACKEND.has(name)) return 'not_understood';
    // A link to another account, and those of Swift's own versioning.
    if (name.startsWith(TARGET) && !PLAIN_LINK.has(name)) return 'link';
    if (/^x-object-sysmeta-(?:symloop|versions|allow-reserved)/.test(name)) return 'link';
  }
  return isManifest(headers) ? 'large_object' : undefined;
}

/** Whether the headers are of a static large object. */
export function isManifest(headers: Headers): boolean {
  return headers.get('x-static-large-object')?.toLowerCase() === 'true';
}

/** Where a link leads, percent-encoded, without a slash in front; undefined for what is no link. */
export function linkTarget(headers: Headers): string | undefined {
  const target = headers.get(TARGET);
  return target === undefined || target === '' ? undefined : target.replace(/^\/+/, '');
}

/** A fixed link leads only to a target with a certain ETag. */
export function isFixedLink(headers: Headers): boolean {
  return headers.has(TARGET_ETAG);
}

/** A link leads to the object that was found at its target, unless it is fixed to another ETag. */
export function leadsTo(link: Headers, found: Headers): boolean {
  const etag = link.get(TARGET_ETAG);
  return etag === undefined || etag === unquoted(found.get('etag') ?? '');
}

/** An answer's headers under the gateway's names; what proxies keep from clients is left out. */
export function toGateway(headers: Headers): Map<string, string> {
  const result = new Map<string, string>();
  for (const [name, value] of headers) {
    if (name.startsWith(BACKEND)) continue;
    // Proxies write ETags as Swift's API always had them, without quotes.
    if (name === 'etag') result.set(name, unquoted(value));
    else if (name === 'content-type') result.set(name, value.replace(SWIFT_BYTES, ''));
    else result.set(token(renamed(name, GATEWAY_PREFIXES) ?? name), value);
  }
  const time = headers.get('x-backend-data-timestamp');
  if (time !== undefined) result.set('x-gateway-data-timestamp', time);
  return result;
}

/**
 * Adds to the headers of a link's target what is told of the link.
 * @param location of the target as a proxy writes it, `/v1/AUTH_test/c/o`
 */
export function addLink(to: Map<string, string>, link: Headers, location: string): void {
  to.set('content-location', location);
  for (const [name, value] of link) {
    if (name === 'etag') to.set('x-gateway-link-etag', unquoted(value));
    else if (name === 'x-backend-data-timestamp') to.set('x-gateway-link-timestamp', value);
    else {
      const other = renamed(name, LINK_PREFIXES);
      if (other !== undefined) to.set(token(other), value);
    }
  }
}

function renamed(
  name: string,
  prefixes: readonly (readonly [string, string])[],
): string | undefined {
  for (const [prefix, other] of prefixes) {
    if (name.startsWith(prefix) && name.length > prefix.length) {
      return other + name.slice(prefix.length);
    }
  }
  return undefined;
}

/** A `%` that begins no escape is one itself: see ringway_filter/names.py. */
function token(name: string): string {
  return name.includes('%') ? name.replace(/%(?![0-9A-Fa-f]{2})/g, '%25') : name;
}
