import { S3Error } from '../../errors.js';
import type { VersioningState } from '../versioning.js';

/** The answers of Object Lock where something is missing (SPEC.md 3.2) or in the way. */

/** The answer to locks on an object whose bucket has none. */
export function bucketWithoutLocks(): S3Error {
  return new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration');
}

/** The answer to GetObjectLockConfiguration of a bucket without one. */
export function noLockConfiguration(bucket: string): S3Error {
  return new S3Error('ObjectLockConfigurationNotFoundError', undefined, { BucketName: bucket });
}

/**
 * The answer to GetObjectRetention of a version without one: AWS has another answer, SPEC.md 3.2
 * decides.
 */
export function noRetention(key: string): S3Error {
  return new S3Error('InvalidRequest', 'Object is missing retention configuration', { Key: key });
}

/** The answer to GetObjectLegalHold of a version that never had one. */
export function noLegalHold(key: string): S3Error {
  return new S3Error('NoSuchObjectLockConfiguration', undefined, { Key: key });
}

/**
 * The answer to a lock on a version that is made of other objects than those of the bucket's own
 * uploads.
 */
export function contentOfOthers(key: string): S3Error {
  return new S3Error(
    'InvalidRequest',
    'Object Lock cannot protect this version: it is a manifest that was written through another ' +
      'API, of objects that are not locked with it. Copy or upload it as one object, and lock that.',
    { Key: key },
  );
}

/**
 * Locks protect versions: a bucket that has them cannot stop keeping versions.
 * @throws S3Error `InvalidBucketState`
 */
export function requireUnlockedToSuspend(status: VersioningState, locked: boolean): void {
  if (!locked || status === 'Enabled') return;
  throw new S3Error(
    'InvalidBucketState',
    'An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.',
  );
}

/**
 * Requires versions: a bucket without them cannot have locks. @throws S3Error `InvalidBucketState`
 */
export function requireVersionsToLock(state: VersioningState): void {
  if (state === 'Enabled') return;
  throw new S3Error(
    'InvalidBucketState',
    "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
  );
}
