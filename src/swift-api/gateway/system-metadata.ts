import type { Metadata, MetadataPatch } from '../../backend/backend.js';
import { DYNAMIC_MANIFEST } from '../../backend/large-object.js';
import type { HeaderMap } from '../../http/exchange.js';

/**
 * System metadata as a gateway sends and gets it: `X-Gateway-Sysmeta-{Account,Container,Object}-N`.
 * That of objects which a POST replaces, Swift's transient one, is kept as one value under a name of
 * our own, so that a POST needs to know nothing of what was there before.
 *
 * Names of our own hold a colon, which no header's name can: what a store that speaks Swift has to
 * remember besides never leaves under the name of system metadata.
 */
export const OWN = {
  transient: 'swift:transient',
  /** The MD5 of a manifest itself; `etag` is that of its segments. */
  manifestEtag: 'swift:manifest-etag',
  /** The target's ETag, of a link that was made for one content of its target. */
  targetEtag: 'swift:target-etag',
  targetBytes: 'swift:target-bytes',
  /** `container/prefix`, of a dynamic large object. */
  dynamicManifest: DYNAMIC_MANIFEST,
} as const;

export type Kind = 'account' | 'container' | 'object' | 'transient';

/** The values of one kind in a request; an empty one removes, where the store can do that. */
export function givenSystemMetadata(
  headers: Iterable<readonly [string, string]>,
  kind: Kind,
): Metadata {
  const prefix = `x-gateway-sysmeta-${kind}-`;
  const values: [string, string][] = [];
  for (const [name, value] of headers) {
    if (name.startsWith(prefix) && name.length > prefix.length) {
      values.push([name.slice(prefix.length), value]);
    }
  }
  return Object.fromEntries(values);
}

/** Like {@link givenSystemMetadata}, for changes in place. */
export function systemMetadataPatch(headers: HeaderMap, kind: Kind): MetadataPatch {
  const given = Object.entries(givenSystemMetadata(headers, kind));
  return Object.fromEntries(given.map(([name, value]) => [name, value === '' ? null : value]));
}

/** Transient system metadata in the form in which it is kept; null: none. */
export function packTransient(values: Metadata): string | null {
  return Object.keys(values).length === 0 ? null : JSON.stringify(values);
}

type Headers = (readonly [name: string, value: string])[];

/** The headers that tell a gateway of system metadata. */
export function systemMetadataHeaders(values: Metadata, kind: Kind): Headers {
  const own = `X-Gateway-Sysmeta-${titled(kind)}-`;
  return headersOf(values, own, 'X-Gateway-Sysmeta-Transient-');
}

/** The same of a link that was followed. */
export function linkMetadataHeaders(values: Metadata): Headers {
  return headersOf(values, 'X-Gateway-Link-Sysmeta-', 'X-Gateway-Link-Transient-');
}

/** Names that a header can have: neither those of our own, nor what no header can be called. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

function headersOf(values: Metadata, own: string, transient: string): Headers {
  const withPrefix = (prefix: string, entries: readonly [string, string][]) =>
    entries.map(([name, value]) => [prefix + titled(name), value] as const);
  return Object.entries(values).flatMap(([name, value]) => {
    if (name !== OWN.transient) return TOKEN.test(name) ? withPrefix(own, [[name, value]]) : [];
    return withPrefix(transient, Object.entries(JSON.parse(value) as Metadata));
  });
}

/** `storage-class` as `Storage-Class`, the way Swift writes names. */
export function titled(name: string): string {
  return name.replace(
    /[A-Za-z]+/g,
    (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
  );
}
