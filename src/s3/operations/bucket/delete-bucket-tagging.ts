import type { RequestContext, S3Response } from '../../operation.js';
import { containerOf } from '../refs.js';
import { tagsPatch } from '../stored-tags.js';

/** DeleteBucketTagging: 204 whether there were tags or not. */
export async function deleteBucketTagging(context: RequestContext): Promise<S3Response> {
  const systemMetadata = tagsPatch([]);
  const { backend } = context.services;
  await backend.updateContainer(context.call, containerOf(context), { systemMetadata });
  return { status: 204, headers: [] };
}
