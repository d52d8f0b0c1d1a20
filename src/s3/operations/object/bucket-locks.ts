import { storedObjectLock } from '../../bucket-object-lock.js';
import type { RequestContext } from '../../operation.js';
import { bucketWithoutLocks } from '../../rules/object-lock/refusals.js';

/**
 * Versions have locks only in a bucket that has an Object Lock configuration.
 * @throws S3Error `InvalidRequest`: SPEC.md 3.2
 */
export async function requireObjectLock(context: RequestContext): Promise<void> {
  const { systemMetadata } = await context.containerHead();
  if (storedObjectLock(systemMetadata) === undefined) throw bucketWithoutLocks();
}
