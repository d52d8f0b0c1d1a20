import type { HeaderMap } from '../../http/exchange.js';
import type { QueryParameter } from '../../lib/uri.js';
import { hoistedValue } from './hoisted-header.js';

/**
 * Presigners move ("hoist") `x-amz-*` headers into the query, where S3 takes them for headers:
 * metadata, storage class, ACL. Not so checksums: an SDK computes them over the body it has when
 * it signs, which is none (`x-amz-checksum-crc32=AAAAAA==`), and S3 does not verify them there
 * (aws/aws-sdk#480, aws/aws-sdk-js-v3#6994).
 */

const PREFIX = 'x-amz-';

/** Of the signature itself, not of the request. */
const OF_SIGNATURE: ReadonlySet<string> = new Set([
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-signedheaders',
  'x-amz-signature',
  'x-amz-security-token',
  'x-amz-content-sha256',
  'x-amz-sdk-checksum-algorithm',
]);
const CHECKSUM_PREFIX = 'x-amz-checksum-';

/**
 * @returns the request's own headers, which win, and the hoisted ones
 * @throws S3Error InvalidArgument for what could be no header
 */
export function withHoistedHeaders(
  headers: HeaderMap,
  query: readonly QueryParameter[],
): HeaderMap {
  let merged: Map<string, string> | undefined;
  for (const parameter of query) {
    const header = parameter.name.toLowerCase();
    if (!header.startsWith(PREFIX) || OF_SIGNATURE.has(header)) continue;
    if (header.startsWith(CHECKSUM_PREFIX)) continue;
    const value = hoistedValue(header, parameter);
    merged ??= new Map(headers);
    if (!merged.has(header)) merged.set(header, value);
  }
  return merged ?? headers;
}
