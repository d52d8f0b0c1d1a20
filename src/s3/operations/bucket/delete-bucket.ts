import type { RequestContext, S3Response } from '../../operation.js';
import { containerOf } from '../refs.js';

/**
 * DeleteBucket: `BucketNotEmpty` while it holds any object. As in AWS, open multipart uploads do not
 * keep it from going, and go with it.
 */
export async function deleteBucket(context: RequestContext): Promise<S3Response> {
  const { backend, segments } = context.services;
  const { account, container } = containerOf(context);
  await backend.deleteContainer(context.call, { account, container });
  // Only now: while the bucket was there, an object could still be made of those parts.
  await segments.bucketDeleted(account, container, context.call.requestId);
  return { status: 204, headers: [] };
}
