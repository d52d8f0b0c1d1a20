import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../errors.js';

const CHECKSUM_PREFIX = 'x-amz-checksum-';

/** Headers with the family's prefix that are no checksum of the body. */
const NOT_OF_BODY: ReadonlySet<string> = new Set([
  'x-amz-checksum-algorithm',
  'x-amz-checksum-mode',
  'x-amz-checksum-type',
]);

/**
 * DeleteObjects carries a digest of its body, as `Content-MD5`, `x-amz-checksum-*` or a trailer of
 * that name: a flipped bit in the list would delete another object. Whether it agrees is for the
 * payload's verification.
 *
 * @throws S3Error `InvalidRequest` without one
 */
export function requireBodyChecksum(headers: HeaderMap): void {
  if (headers.has('content-md5')) return;
  if (headers.get('x-amz-trailer')?.toLowerCase().startsWith(CHECKSUM_PREFIX) === true) return;
  for (const name of headers.keys()) {
    if (name.startsWith(CHECKSUM_PREFIX) && !NOT_OF_BODY.has(name)) return;
  }
  throw new S3Error(
    'InvalidRequest',
    'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
  );
}
