import { objectLockPatch } from '../../bucket-object-lock.js';
import { bucketVersioning } from '../../bucket-versions.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { requireVersionsToLock } from '../../rules/object-lock/refusals.js';
import { containerOf } from '../refs.js';
import { readDocument } from '../request-document.js';

/**
 * PutObjectLockConfiguration: for a bucket that keeps versions. Its default retention is that of
 * versions written from now on.
 */
export async function putObjectLockConfiguration(context: RequestContext): Promise<S3Response> {
  const configuration = await readDocument(context, 'ObjectLockConfiguration');
  const { systemMetadata } = await context.containerHead();
  requireVersionsToLock(bucketVersioning(systemMetadata));
  await context.services.backend.updateContainer(context.call, containerOf(context), {
    systemMetadata: objectLockPatch(configuration),
  });
  return { status: 200, headers: [], body: '' };
}
