import { type RequestContext, type S3Response, xmlResponse } from '../operation.js';
import { readDocument } from '../request/request-document.js';
import { noLockConfiguration, requireVersionsToLock } from '../rules/object-lock/refusals.js';
import { renderObjectLockConfiguration } from '../xml/object-lock-configuration.js';
import { changeBucket } from './change-bucket.js';
import { storedObjectLock, objectLockPatch, bucketVersioning } from './configuration.js';

/** GetObjectLockConfiguration: 404 of a bucket without one (SPEC.md 3.2). */
export async function getObjectLockConfiguration(context: RequestContext): Promise<S3Response> {
  const { systemMetadata } = await context.containerHead({ newest: true });
  const configuration = storedObjectLock(systemMetadata);
  if (configuration === undefined) throw noLockConfiguration(context.endpoint.bucket);
  return xmlResponse(renderObjectLockConfiguration(configuration));
}

/**
 * PutObjectLockConfiguration: for a bucket that keeps versions. Its default retention is that of
 * versions written from now on.
 */
export async function putObjectLockConfiguration(context: RequestContext): Promise<S3Response> {
  const configuration = await readDocument(context, 'ObjectLockConfiguration');
  const { systemMetadata } = await context.containerHead({ newest: true });
  requireVersionsToLock(bucketVersioning(systemMetadata));
  await changeBucket(context, { systemMetadata: objectLockPatch(configuration) });
  return { status: 200, headers: [], body: '' };
}
