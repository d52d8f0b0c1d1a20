import type { RequestContext, S3Response } from '../../operation.js';
import { containerOf } from '../refs.js';

/** DeleteBucket: `BucketNotEmpty` while it holds anything. */
export async function deleteBucket(context: RequestContext): Promise<S3Response> {
  await context.services.backend.deleteContainer(context.call, containerOf(context));
  return { status: 204, headers: [] };
}
