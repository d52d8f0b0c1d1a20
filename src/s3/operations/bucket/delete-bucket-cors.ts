import { configurationPatch } from '../../bucket-configuration.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { containerOf } from '../refs.js';

/** DeleteBucketCors: 204 also when there was nothing to delete. SPEC.md 4.5. */
export async function deleteBucketCors(context: RequestContext): Promise<S3Response> {
  await context.services.backend.updateContainer(context.call, containerOf(context), {
    systemMetadata: configurationPatch('cors', undefined),
  });
  return { status: 204, headers: [] };
}
