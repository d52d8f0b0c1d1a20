import type { Metadata } from '../backend.js';
import { decodeHeaderName, encodeHeaderName } from './header-names.js';
import type { SwiftInfo } from './transport.js';

/**
 * User metadata as Swift's `X-Object-Meta-*` and `X-Container-Meta-*`, values in UTF-8 as they are.
 * Swift has little room for it (256 bytes a value, 90 of them, 4,096 bytes in all): of an object,
 * what does not fit, or would not come back as it was, overflows into system metadata, which keeps
 * it as one JSON document.
 */

export type MetadataLimits = Pick<
  SwiftInfo,
  'metaNameBytesMax' | 'metaValueBytesMax' | 'metaCountMax' | 'metaBytesMax' | 'filter'
>;

const PREFIX = { object: 'x-object-meta-', container: 'x-container-meta-' } as const;

/** Control characters end a header; blanks at its ends are not part of its value. */
// eslint-disable-next-line no-control-regex -- they are what this is about
const UNSAFE = /[\u0000-\u001f\u007f]|^ | $|\p{Surrogate}/u;

export interface DividedMetadata {
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when all fits. */
  readonly overflow: Metadata;
}

/** Divides an object's user metadata into what Swift takes and what it does not. */
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
