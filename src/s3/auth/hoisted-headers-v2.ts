import type { HeaderMap } from '../../http/exchange.js';
import type { QueryParameter } from '../../lib/uri.js';
import { hoistedValue } from './hoisted-header.js';

/**
 * Presigners of version 2 move all that they sign of the headers into the query: `x-amz-*`,
 * `content-md5` and `content-type`. They are part of the string to sign in either place.
 */

const PREFIX = 'x-amz-';
const OTHERS: ReadonlySet<string> = new Set(['content-md5', 'content-type']);
/** Computed by SDKs over the body that they have when they sign: see hoisted-headers.ts. */
const CHECKSUM = /^x-amz-(?:checksum-|sdk-checksum-algorithm$)/;

/**
 * @param checksums true for the string to sign; false for what the request means, where a checksum
 *   in the query says nothing about the body
 * @returns the request's own headers, which win, and the hoisted ones
 * @throws S3Error InvalidArgument for what could be no header
 */
export function withHoistedHeadersV2(
  headers: HeaderMap,
  query: readonly QueryParameter[],
  checksums: boolean,
): HeaderMap {
  let merged: Map<string, string> | undefined;
  for (const parameter of query) {
    const header = parameter.name.toLowerCase();
    if (!header.startsWith(PREFIX) && !OTHERS.has(header)) continue;
    if (!checksums && CHECKSUM.test(header)) continue;
    const value = hoistedValue(header, parameter);
    merged ??= new Map(headers);
    if (!merged.has(header)) merged.set(header, value);
  }
  return merged ?? headers;
}
