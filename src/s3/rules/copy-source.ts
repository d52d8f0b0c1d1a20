import { S3Error } from '../errors.js';
import { isValidBucketName } from './bucket-name.js';
import { isMangled } from './header-values.js';
import { requireKeyLength } from './object-key.js';
import { invalidArgument } from './query-parameters.js';
import { isVersionId } from './version-id.js';

/** The object that CopyObject and UploadPartCopy read from. */
export interface CopySource {
  readonly bucket: string;
  readonly key: string;
  /** Undefined: the current version. */
  readonly versionId: string | undefined;
}

/** The largest object or range that one request copies; AWS's limit. */
export const COPY_BYTES_MAX = 5 * 1024 ** 3;

const HEADER = 'x-amz-copy-source';
const VERSION_PARAMETER = '?versionId=';

/**
 * Reads `x-amz-copy-source`: `bucket/key` or `/bucket/key`, URL-encoded, and perhaps
 * `?versionId=id`, which is not encoded.
 *
 * The name is decoded once and then split, since clients encode its slash too. `+` is a space, as
 * in AWS: Java's URLEncoder writes spaces so, and clients that mean `+` write `%2B`. Characters
 * that should have been encoded and were not are taken as they are, `?` included.
 *
 * @throws S3Error `InvalidArgument` for any other form; `KeyTooLongError`
 */
export function parseCopySource(value: string): CopySource {
  const versionAt = value.lastIndexOf(VERSION_PARAMETER);
  const encoded = versionAt === -1 ? value : value.slice(0, versionAt);
  const versionId =
    versionAt === -1
      ? undefined
      : checkVersionId(value.slice(versionAt + VERSION_PARAMETER.length));

  const name = decode(encoded, value);
  const start = name.startsWith('/') ? 1 : 0;
  const slash = name.indexOf('/', start);
  if (slash === -1) {
    throw invalidSource(
      value,
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
    );
  }
  const bucket = name.slice(start, slash);
  const key = name.slice(slash + 1);
  if (!isValidBucketName(bucket)) throw invalidSource(value, 'Invalid copy source bucket name');
  // NUL: as in a request line, where it makes the URI invalid.
  if (key === '' || key.includes('\0'))
    throw invalidSource(value, 'Invalid copy source object key');
  requireKeyLength(bucket, key);
  return { bucket, key, versionId };
}

/** @param size bytes that one request would copy. @throws S3Error `InvalidRequest` over 5 GiB */
export function requireCopyableSize(size: number): void {
  if (size <= COPY_BYTES_MAX) return;
  throw new S3Error(
    'InvalidRequest',
    `The specified copy source is larger than the maximum allowable size for a copy source: ${COPY_BYTES_MAX}`,
  );
}

function checkVersionId(versionId: string): string {
  if (isVersionId(versionId)) return versionId;
  throw invalidArgument('versionId', versionId, 'Invalid version id specified');
}

function decode(encoded: string, value: string): string {
  try {
    if (!isMangled(encoded)) return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    // No escape, or none of UTF-8.
  }
  throw invalidSource(value, 'Invalid copy source encoding');
}

function invalidSource(value: string, message: string): S3Error {
  return invalidArgument(HEADER, value, message);
}
