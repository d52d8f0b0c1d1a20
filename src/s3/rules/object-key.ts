import { resourceDetails, S3Error } from '../errors.js';

/** Bytes of UTF-8; AWS's limit. */
export const KEY_BYTES_MAX = 1024;

/** No code point needs more than three bytes per UTF-16 unit. */
const UTF8_BYTES_PER_UNIT_MAX = 3;

/** @param bucket that the key is meant for @throws S3Error `KeyTooLongError` */
export function requireKeyLength(bucket: string, key: string): void {
  if (key.length * UTF8_BYTES_PER_UNIT_MAX <= KEY_BYTES_MAX) return;
  const size = Buffer.byteLength(key);
  if (size <= KEY_BYTES_MAX) return;
  throw new S3Error('KeyTooLongError', undefined, {
    ...resourceDetails(bucket, key),
    Size: String(size),
    MaxSizeAllowed: String(KEY_BYTES_MAX),
  });
}
