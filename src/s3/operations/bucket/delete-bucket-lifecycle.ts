import { configurationPatch } from '../../bucket-configuration.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { containerOf } from '../refs.js';

/** DeleteBucketLifecycle: 204, also when there are no rules. */
export async function deleteBucketLifecycle(context: RequestContext): Promise<S3Response> {
  const { backend, lifecycles } = context.services;
  const systemMetadata = configurationPatch('lifecycle', undefined);
  await backend.updateContainer(context.call, containerOf(context), { systemMetadata });
  lifecycles.forget(containerOf(context));
  return { status: 204, headers: [] };
}
