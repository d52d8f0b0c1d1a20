import { objectLockPatch } from '../../bucket-object-lock.js';
import { bucketVersioning } from '../../bucket-versions.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { requireVersionsToLock } from '../../rules/object-lock/refusals.js';
import { parseObjectLockConfiguration } from '../../xml/object-lock-configuration.js';
import { XML_BODY_BYTES_MAX } from '../../xml/parse.js';
import { containerOf } from '../refs.js';

/**
 * PutObjectLockConfiguration: for a bucket that keeps versions. Its default retention is that of
 * versions written from now on.
 */
export async function putObjectLockConfiguration(context: RequestContext): Promise<S3Response> {
  const body = await context.openPayload().collect(XML_BODY_BYTES_MAX);
  const configuration = parseObjectLockConfiguration(body);
  const { systemMetadata } = await context.containerHead();
  requireVersionsToLock(bucketVersioning(systemMetadata));
  await context.services.backend.updateContainer(context.call, containerOf(context), {
    systemMetadata: objectLockPatch(configuration),
  });
  return { status: 200, headers: [], body: '' };
}
