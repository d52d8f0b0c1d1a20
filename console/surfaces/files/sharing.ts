import type { ConsoleOptions } from '../../config/load.js';
import type { Session } from '../../server/sessions.js';
import { hasS3Versions, placeIn } from './container-details.js';
import type { S3Versioning } from './s3/s3-bucket.js';

/** By which URLs the objects of a container are shared. */
export interface SharingView {
  /** Single objects, by URLs of S3 that the user signs. */
  readonly presigned: boolean;
  /** Objects and folders, by URLs of the store that the container's key signs. */
  readonly tempurl: boolean;
  /** Null where S3 keeps no versions that the user can reach. */
  readonly versioning: S3Versioning | null;
  /** Where nothing can be shared the cause, in words for the user; else null. */
  readonly reason: string | null;
}

export type PublicBases = Pick<ConsoleOptions, 's3PublicBase' | 'storePublicBase'>;

/** Presigned URLs begin with the address that is missing. */
export const NO_ADDRESS =
  'No public S3 address is configured for presigned URLs. Contact an operator to set s3_public_base.';
const NO_ADDRESSES =
  'No public address is configured for shared URLs. Contact an operator to set s3_public_base or store_public_base.';
const NO_ANSWER = 'S3 manages the versions of this bucket and is not responding. Try again later.';
const NOT_FOR_YOU =
  'S3 manages the versions of this bucket, and the console cannot access S3 on your behalf. Use an S3 client to share objects.';

/**
 * Decides by which URLs objects are shared. In a bucket with S3 versions they are links to versions
 * in another container, which a TempURL key of this one does not open.
 */
export async function sharingOf(
  session: Pick<Session, 'store' | 's3'>,
  container: string,
  { s3PublicBase, storePublicBase }: PublicBases,
): Promise<SharingView> {
  const { place, isUnavailable } = await placeIn(session, container);
  const versioning = place === undefined || place.versioning === 'Off' ? null : place.versioning;
  const isVersioned =
    place === undefined ? await hasS3Versions(session.store, container) : versioning !== null;
  const presigned = place !== undefined && s3PublicBase !== '';
  const tempurl = !isVersioned && storePublicBase !== '';
  const noAddress = isVersioned ? NO_ADDRESS : NO_ADDRESSES;
  const noPlace = isUnavailable ? NO_ANSWER : NOT_FOR_YOU;
  const cause = isVersioned && place === undefined ? noPlace : noAddress;
  return { presigned, tempurl, versioning, reason: presigned || tempurl ? null : cause };
}

/** True when the container has S3 versions, which a TempURL cannot open. */
export async function keepsS3Versions(
  session: Pick<Session, 'store' | 's3'>,
  container: string,
): Promise<boolean> {
  const { place } = await placeIn(session, container);
  return place === undefined ? hasS3Versions(session.store, container) : place.versioning !== 'Off';
}
