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
  'No public S3 address is configured for presigned URLs. Contact an operator to set s3_public_base.';
const NO_ANSWER = 'S3 manages the versions of this bucket and is not responding. Try again later.';
const NOT_FOR_YOU =
  'S3 manages the versions of this bucket, and the console cannot access S3 on your behalf. Use an S3 client to share objects.';

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
