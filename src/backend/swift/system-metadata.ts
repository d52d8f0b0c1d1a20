import type { Metadata } from '../backend.js';
import { decodeHeaderName, encodeHeaderName } from './header-names.js';
import { decodeValue, encodeValue } from './header-values.js';

/**
 * System metadata on the wire to the filter in the proxies (ops/swift/). There `-Object-N` becomes
 * Swift's `X-Object-Sysmeta-N`, which only a PUT can set, and `-Transient-N` its
 * `X-Object-Transient-Sysmeta-N`, of which a POST replaces all.
 */

const PREFIXES = {
  account: 'x-gateway-sysmeta-account-',
  container: 'x-gateway-sysmeta-container-',
  object: 'x-gateway-sysmeta-object-',
  transient: 'x-gateway-sysmeta-transient-',
  // Answers only: what the filter tells of the link that was followed, rather than of its target.
  link: 'x-gateway-link-sysmeta-',
  link_transient: 'x-gateway-link-transient-',
} as const;

export type SystemMetadataKind = keyof typeof PREFIXES;

/** Names that the backend keeps its own data under; the layers above never see them. */
export const OWN = {
  /** Of a large object: how many segments it is made of. */
  segmentCount: 'ringway-segment-count',
  /** Its segments of no bytes, which Swift's manifests cannot name: see segment-names.ts. */
  emptySegments: 'ringway-empty-segments',
  /** User metadata that Swift's own has no room for: a document, see user-metadata.ts. */
  metadata: 'ringway-metadata',
  /** Transient: what was changed since the PUT, see update-document.ts. */
  update: 'ringway-update',
  /** S3's ETag, where it is not the MD5 of the body: the name that Swift's s3api has for it. */
  etag: 's3api-etag',
} as const;

/** Names that Swift's own middlewares, and this backend, keep in an object's system metadata. */
const HIDDEN =
  /^(?:ringway-|s3api-etag$|slo-(?:etag|size)$|symlink-|symloop-extend$|allow-reserved-names$|versions-symlink$|container-update-override-|crypto-|ec-)/;

/** The header of one name, or of its first piece. */
export function systemHeaderName(kind: SystemMetadataKind, name: string): string {
  return PREFIXES[kind] + encodeHeaderName(name);
}

/** The headers of system metadata, to be sent with a request or in the footers of a body. */
export function systemMetadataHeaders(
  kind: SystemMetadataKind,
  metadata: Metadata | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(metadata ?? {})) {
    for (const [header, piece] of encodeValue(encodeHeaderName(name), value)) {
      headers[PREFIXES[kind] + header] = piece;
    }
  }
  return headers;
}

/** One name of it, own ones included. */
export function readSystemValue(
  headers: ReadonlyMap<string, string>,
  kind: SystemMetadataKind,
  name: string,
): string | undefined {
  const prefix = PREFIXES[kind];
  return decodeValue(name, (each) => headers.get(prefix + each));
}

/** All that the layers above are told of; in no particular order. */
export function readSystemMetadata(
  headers: ReadonlyMap<string, string>,
  kind: SystemMetadataKind,
): Metadata {
  const prefix = PREFIXES[kind];
  const entries: [string, string][] = [];
  for (const [header, raw] of headers) {
    // To Swift, an empty value is none.
    if (!header.startsWith(prefix) || raw === '') continue;
    const name = header.slice(prefix.length);
    if (HIDDEN.test(name)) continue;
    const value = decodeValue(name, (each) => headers.get(prefix + each));
    if (value !== undefined) entries.push([decodeHeaderName(name), value]);
  }
  return Object.fromEntries(entries);
}
