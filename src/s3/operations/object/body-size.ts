import type { Payload } from '../../auth/payload.js';
import { S3Error } from '../../s3-error.js';

/** AWS's limit for one PUT, of an object or of a part, and Swift's default for one object. */
const BODY_BYTES_MAX = 5 * 1024 ** 3;
/** Bodies up to this size are taken whole: one write, no stream machinery. */
const SMALL_BODY_BYTES_MAX = 65_536;

/** @throws S3Error `MissingContentLength`; `EntityTooLarge` over 5 GiB */
export function announcedSize({ size }: Payload): number {
  if (size === undefined) throw new S3Error('MissingContentLength');
  if (size > BODY_BYTES_MAX) {
    throw new S3Error('EntityTooLarge', undefined, {
      ProposedSize: String(size),
      MaxSizeAllowed: String(BODY_BYTES_MAX),
    });
  }
  return size;
}

export function isSmall(size: number): boolean {
  return size <= SMALL_BODY_BYTES_MAX;
}
