import type { RequestContext, S3Response } from '../../operation.js';
import { containerOf } from '../refs.js';

/** HeadBucket: whether it exists, and where. */
export async function headBucket(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  await backend.headContainer(context.call, containerOf(context));
  return { status: 200, headers: [['x-amz-bucket-region', settings.region]] };
}
