import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../errors.js';

export const DEFAULT_STORAGE_CLASS = 'STANDARD';

/**
 * The storage class that a PUT or copy asks for; `STANDARD` without the header. Call it before any
 * of the body is read: SPEC.md 4.3.
 *
 * @throws S3Error `InvalidStorageClass` unless it is one of `accepted`
 */
export function parseStorageClass(headers: HeaderMap, accepted: readonly string[]): string {
  const requested = headers.get('x-amz-storage-class');
  if (requested === undefined) return DEFAULT_STORAGE_CLASS;
  if (accepted.includes(requested)) return requested;
  throw new S3Error('InvalidStorageClass', undefined, { StorageClassRequested: requested });
}
