import type { Metadata, MetadataPatch } from '../backend/backend.js';
import type { HeaderMap } from '../http/exchange.js';
import { titled } from './gateway/system-metadata.js';
import type { ApiLimits } from './limits.js';
import { TEXT } from './reply.js';
import { SwiftError } from './swift-error.js';

/** User metadata in headers: `X-{Account,Container,Object}-Meta-N`. */

export type MetadataKind = 'account' | 'container' | 'object';

/**
 * All user metadata that a request gives, within Swift's limits (check_metadata).
 * @param former what is there already: S3 clients may write more of it than Swift's limits allow, and
 *   who sends it back unchanged changes nothing
 * @throws SwiftError 400
 */
export function givenMetadata(
  headers: HeaderMap,
  kind: MetadataKind,
  limits: ApiLimits,
  former: Metadata = {},
): Metadata {
  const prefix = `x-${kind}-meta-`;
  const metadata: [string, string][] = [];
  for (const [header, value] of headers) {
    if (!header.startsWith(prefix)) continue;
    const name = header.slice(prefix.length);
    if (!Object.hasOwn(former, name) || former[name] !== value) {
      checkOne(name, value, prefix, limits);
    }
    metadata.push([name, value]);
  }
  const count = metadata.length;
  const there = Object.entries(former);
  if (count > Math.max(limits.metaCountMax, there.length))
    throw invalid(`Too many metadata items; max ${limits.metaCountMax}`);
  if (bytesOf(metadata) > Math.max(limits.metaBytesMax, bytesOf(there)))
    throw invalid(`Total metadata too large; max ${limits.metaBytesMax}`);
  return Object.fromEntries(metadata);
}

function bytesOf(metadata: readonly (readonly [string, string])[]): number {
  return Buffer.byteLength(metadata.flat().join(''));
}

function checkOne(name: string, value: string, prefix: string, limits: ApiLimits): void {
  const shown = `${prefix}${titled(name)}`;
  if (name === '') throw invalid('Metadata name cannot be empty');
  if (Buffer.byteLength(name) > limits.metaNameBytesMax)
    throw invalid(`Metadata name too long: ${shown}`);
  if (Buffer.byteLength(value) > limits.metaValueBytesMax) {
    throw invalid(`Metadata value longer than ${limits.metaValueBytesMax}: ${shown}`);
  }
}

function invalid(message: string): SwiftError {
  return new SwiftError(400, message, TEXT);
}

/**
 * The changes of a POST to an account's or a container's metadata: an empty value removes, as does
 * `X-Remove-…-Meta-N`, which wins.
 */
export function metadataPatch(
  headers: HeaderMap,
  kind: 'account' | 'container',
  limits: ApiLimits,
): MetadataPatch {
  const patch: [string, string | null][] = [];
  for (const [name, value] of Object.entries(givenMetadata(headers, kind, limits))) {
    patch.push([name, value === '' ? null : value]);
  }
  const removal = `x-remove-${kind}-meta-`;
  for (const [header] of headers) {
    if (header.startsWith(removal)) patch.push([header.slice(removal.length), null]);
  }
  return Object.fromEntries(patch);
}

/** Headers that only owners see: a user who knows these keys can make TempURLs. */
const KEYS: ReadonlySet<string> = new Set(['temp-url-key', 'temp-url-key-2']);

export function metadataHeaders(
  metadata: Metadata,
  kind: MetadataKind,
  isOwner: boolean,
): (readonly [string, string])[] {
  const prefix = `X-${titled(kind)}-Meta-`;
  return Object.entries(metadata)
    .filter(([name]) => isOwner || kind === 'object' || !KEYS.has(name))
    .map(([name, value]) => [prefix + titled(name), value] as const);
}

/** The keys of an account or container, in the order in which they are tried. */
export function tempUrlKeys(metadata: Metadata): string[] {
  return [...KEYS].flatMap((name) => {
    const key = metadata[name];
    return key === undefined || key === '' ? [] : key;
  });
}
