import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import type { Session } from '../../server/sessions.js';
import type { StoreInfo } from '../../swift/info.js';
import { headerText } from '../../swift/login.js';
import { containerName } from './names.js';
import { NEW_RETENTION, setBucketLock } from './s3/bucket-lock.js';
import { s3Failure } from './s3/failure.js';
import { isValidBucketName } from './s3/gateway-rules.js';
import { setS3Versioning } from './s3/s3-bucket.js';
import { BOUNDS, expectQuotas, quotaHeaders } from './quota-routes.js';
import { translate } from './translate.js';

/** A bucket as it is wanted. */
export const NEW_BUCKET = z.strictObject({
  name: containerName,
  /** The storage policy; undefined for the store's default. */
  policy: z.string().max(128).optional(),
  /** Also with a name that S3 clients cannot see. */
  hidden_from_s3: z.boolean().default(false),
  versioning: z.boolean().default(false),
  /** Needs versions, which it turns on. */
  object_lock: z.boolean().default(false),
  default_retention: NEW_RETENTION.default(null),
  quota: BOUNDS.default({ bytes: null, objects: null }),
});
export type WantedBucket = z.infer<typeof NEW_BUCKET>;

type Owner = Pick<Session, 'store' | 's3'>;

/**
 * Refuses what cannot be made, before anything is.
 * @throws ApiError bad_name; unsupported_here
 */
export function expectPossible(wanted: WantedBucket, { s3 }: Owner, info: StoreInfo): void {
  const { name, versioning, object_lock: lock, default_retention: retention, quota } = wanted;
  if (!wanted.hidden_from_s3 && !isValidBucketName(name)) {
    const rule = 'Names of buckets have 3 to 63 lowercase letters, digits, hyphens and dots.';
    const message = `S3 clients cannot see a bucket with this name. ${rule}`;
    throw new ApiError('bad_name', message, { needs: 'hidden_from_s3' });
  }
  const inS3 = s3 !== undefined && isValidBucketName(name);
  if ((lock || retention !== null) && !inS3) {
    const message = 'Object Lock requires a bucket that S3 clients can see.';
    throw new ApiError('unsupported_here', message, { needs: 's3_base' });
  }
  if (versioning && !inS3 && !info.hasObjectVersioning) {
    const message = 'Versioning requires a bucket that S3 clients can see.';
    throw new ApiError('unsupported_here', message, { needs: 's3_base' });
  }
  if (quota.bytes !== null || quota.objects !== null) expectQuotas(info);
}

/**
 * Makes a bucket with all that is wanted of it, or none.
 * @throws ApiError exists, policy_conflict; what the store and S3 refuse
 */
export async function createBucket(wanted: WantedBucket, owner: Owner): Promise<void> {
  const { name, policy } = wanted;
  const { store } = owner;
  const headers = policy === undefined ? {} : { 'x-storage-policy': headerText(policy) };
  const { status } = await store
    .do([201, 202], 'PUT', { container: name, headers })
    .catch((error: unknown) => {
      const message = 'The bucket already exists with a different storage policy.';
      throw translate(error, 409, 'policy_conflict', message);
    });
  // One that was there before stays as it is.
  if (status === 202) throw new ApiError('exists', 'You already have a bucket with this name.');
  try {
    await configure(wanted, owner);
  } catch (error) {
    // A bucket that has got an object meanwhile stays.
    await store.do([204, 404, 409], 'DELETE', { container: name }).catch(() => undefined);
    throw error;
  }
}

async function configure(wanted: WantedBucket, { store, s3 }: Owner): Promise<void> {
  const { name, quota, versioning, object_lock: lock, default_retention: retention } = wanted;
  const bounds = quotaHeaders(quota);
  if (Object.keys(bounds).length > 0) {
    await store.do([204], 'POST', { container: name, headers: bounds });
  }
  const isLocked = lock || retention !== null;
  if (!versioning && !isLocked) return;
  if (s3 === undefined || !isValidBucketName(name)) {
    const headers = { 'x-versions-enabled': 'true' };
    await store.do([204, 202], 'POST', { container: name, headers });
    return;
  }
  await setS3Versioning(s3, name, true);
  const place = { s3, name, versioning: 'Enabled', isOwner: true } as const;
  if (isLocked) await setBucketLock(place, retention).catch(s3Failure);
}
