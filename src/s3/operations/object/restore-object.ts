import type { RequestContext } from '../../operation.js';
import { S3Error } from '../../s3-error.js';
import { objectOf } from '../refs.js';
import { requireCurrentVersion } from './object-response.js';

/**
 * RestoreObject without a cold tier: there is nothing that an object could be brought back from.
 * Never 501, and never a success that restores nothing (SPEC.md 3.4, 4.5).
 */
export async function restoreObject(context: RequestContext): Promise<never> {
  requireCurrentVersion(context);
  await context.services.backend.headObject(context.call, objectOf(context));
  throw new S3Error(
    'InvalidObjectState',
    "Restore is not allowed for the object's current storage class",
  );
}
