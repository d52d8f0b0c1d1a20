import { storedObjectLock } from '../../bucket-object-lock.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { noLockConfiguration } from '../../rules/object-lock/refusals.js';
import { renderObjectLockConfiguration } from '../../xml/object-lock-configuration.js';
import { xmlResponse } from '../xml-response.js';

/** GetObjectLockConfiguration: 404 of a bucket without one (SPEC.md 3.2). */
export async function getObjectLockConfiguration(context: RequestContext): Promise<S3Response> {
  const { systemMetadata } = await context.containerHead();
  const configuration = storedObjectLock(systemMetadata);
  if (configuration === undefined) throw noLockConfiguration(context.endpoint.bucket);
  return xmlResponse(renderObjectLockConfiguration(configuration));
}
