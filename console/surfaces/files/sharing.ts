import type { Session } from '../../server/sessions.js';
import { hasS3Versions, placeIn } from './container-details.js';
import type { S3Versioning } from './s3/s3-bucket.js';

/** By which URLs objects of a container are shared. */
export interface SharingView {
  readonly kind: 'tempurl' | 'presigned' | 'none';
  /** Null where S3 keeps no versions that the user can reach. */
  readonly versioning: S3Versioning | null;
  /** The cause where objects cannot be shared, in words for the user; else null. */
  readonly reason: string | null;
}

/** Presigned URLs begin with the address that is missing. */
export const NO_ADDRESS =
  'No address is configured under which people reach S3, with which a presigned URL begins.';
const NO_ANSWER = 'S3 keeps the versions of this bucket, and does not answer now.';
const NOT_FOR_YOU =
  'S3 keeps the versions of this bucket, and this console cannot use S3 as you: share its objects with an S3 client.';

/**
 * Decides by which URLs objects are shared. In a bucket with S3 versions they are links to versions
 * in another container, which a TempURL key of this one does not open.
 *
 * @param s3PublicBase the address that presigned URLs begin with; empty where none is configured
 */
export async function sharingOf(
  session: Pick<Session, 'store' | 's3'>,
  container: string,
  s3PublicBase: string,
): Promise<SharingView> {
  const { place, isUnavailable } = await placeIn(session, container);
  if (place === undefined) {
    if (!(await hasS3Versions(session.store, container))) return TEMPURL;
    return { kind: 'none', versioning: null, reason: isUnavailable ? NO_ANSWER : NOT_FOR_YOU };
  }
  const { versioning } = place;
  if (versioning === 'Off') return TEMPURL;
  if (s3PublicBase === '') return { kind: 'none', versioning, reason: NO_ADDRESS };
  return { kind: 'presigned', versioning, reason: null };
}

const TEMPURL: SharingView = { kind: 'tempurl', versioning: null, reason: null };
