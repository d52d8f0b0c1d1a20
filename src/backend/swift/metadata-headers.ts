import type { Metadata } from '../backend.js';
import { decodeHeaderName, encodeHeaderName, decodeValue, encodeValue } from './header-codec.js';
import type { SwiftInfo, RequestHeaders } from './transport.js';

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

type SystemMetadataKind = keyof typeof PREFIXES;

/** Names that the backend keeps its own data under; the layers above never see them. */
export const OWN = {
  /** The number of segments of a large object. */
  segmentCount: 'ringway-segment-count',
  /** Its segments of no bytes, which Swift's manifests cannot name: see manifests.ts. */
  emptySegments: 'ringway-empty-segments',
  /** User metadata that Swift's own has no room for: one JSON document. */
  metadata: 'ringway-metadata',
  /** Transient: what was changed since the PUT, see stored-object.ts. */
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
    // Swift treats an empty value as none.
    if (!header.startsWith(prefix) || raw === '') continue;
    const name = header.slice(prefix.length);
    if (HIDDEN.test(name)) continue;
    const value = decodeValue(name, (each) => headers.get(prefix + each));
    if (value !== undefined) entries.push([decodeHeaderName(name), value]);
  }
  return Object.fromEntries(entries);
}

export type MetadataLimits = Pick<
  SwiftInfo,
  'metaNameBytesMax' | 'metaValueBytesMax' | 'metaCountMax' | 'metaBytesMax' | 'filter'
>;

const PREFIX = { object: 'x-object-meta-', container: 'x-container-meta-' } as const;

/** Control characters end a header; blanks at its ends are not part of its value. */
// oxlint-disable-next-line no-control-regex -- they are what this is about
const UNSAFE = /[\u0000-\u001f\u007f]|^ | $|\p{Surrogate}/u;

interface DividedMetadata {
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when all fits. */
  readonly overflow: Metadata;
}

/**
 * Divides an object's user metadata into what Swift takes and what it does not.
 *
 * User metadata as Swift's `X-Object-Meta-*` and `X-Container-Meta-*`, values in UTF-8 as they are.
 * Swift has little room for it (256 bytes a value, 90 of them, 4,096 bytes in all): of an object,
 * what does not fit, or would not come back as it was, overflows into system metadata, which keeps
 * it as one JSON document.
 */
export function divideUserMetadata(
  metadata: Metadata | undefined,
  limits: MetadataLimits,
): DividedMetadata {
  const headers: Record<string, string> = {};
  const overflow: [string, string][] = [];
  let [count, bytes] = [0, 0];
  for (const [name, value] of Object.entries(metadata ?? {})) {
    const encoded = encodeHeaderName(name);
    const size = encoded.length + Buffer.byteLength(value);
    if (
      UNSAFE.test(value) ||
      encoded.length > limits.metaNameBytesMax ||
      size - encoded.length > limits.metaValueBytesMax ||
      count + 1 > limits.metaCountMax ||
      bytes + size > limits.metaBytesMax
    ) {
      overflow.push([name, value]);
    } else {
      headers[PREFIX.object + encoded] = value;
      count++;
      bytes += size;
    }
  }
  return { headers, overflow: Object.fromEntries(overflow) };
}

/** @param overflow what of it is kept elsewhere; only of an object */
export function readUserMetadata(
  headers: ReadonlyMap<string, string>,
  kind: keyof typeof PREFIX,
  overflow: Metadata | undefined,
): Metadata {
  const prefix = PREFIX[kind];
  const entries: [string, string][] = [];
  for (const [header, value] of headers) {
    if (!header.startsWith(prefix)) continue;
    entries.push([decodeHeaderName(header.slice(prefix.length)), value]);
  }
  if (overflow !== undefined) entries.push(...Object.entries(overflow));
  return Object.fromEntries(entries);
}

/** The header of one name of a container; an empty value takes it away. */
export function containerMetadataHeader(name: string): string {
  return PREFIX.container + encodeHeaderName(name);
}

/**
 * Swift counts expiry in whole seconds.
 * @param deleteAt - milliseconds since the epoch; null and undefined: never
 */
export function deleteAtHeaders(deleteAt: number | null | undefined): RequestHeaders {
  if (deleteAt === undefined || deleteAt === null) return NEVER;
  return { 'x-delete-at': String(Math.ceil(deleteAt / 1000)) };
}

const NEVER: RequestHeaders = {};
