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
  const headers: Headers = [];
  for (const [name, value] of Object.entries(values)) {
    if (name === OWN.transient)
      headers.push(...transientHeaders(value, 'X-Gateway-Sysmeta-Transient-'));
    else if (isSendable(name))
      headers.push([`X-Gateway-Sysmeta-${titled(kind)}-${titled(name)}`, value]);
  }
  return headers;
}

/** The same of a link that was followed. */
export function linkMetadataHeaders(values: Metadata): Headers {
  const headers: Headers = [];
  for (const [name, value] of Object.entries(values)) {
    if (name === OWN.transient)
      headers.push(...transientHeaders(value, 'X-Gateway-Link-Transient-'));
    else if (isSendable(name)) headers.push([`X-Gateway-Link-Sysmeta-${titled(name)}`, value]);
  }
  return headers;
}

function transientHeaders(packed: string, prefix: string): Headers {
  const values = JSON.parse(packed) as Metadata;
  return Object.entries(values).map(([name, value]) => [prefix + titled(name), value] as const);
}

/** Neither one of our own, nor what no header can be called. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

function isSendable(name: string): boolean {
  return TOKEN.test(name);
}

/** `storage-class` as `Storage-Class`, the way Swift writes names. */
export function titled(name: string): string {
  return name.replace(
    /[A-Za-z]+/g,
    (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
  );
}
