import { type RequestContext, type S3Response, containerOf, xmlResponse } from '../operation.js';
import { renderLocationConstraint } from '../xml/location-constraint.js';

/** HeadBucket: whether it exists, and where. */
export async function headBucket(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  await backend.headContainer(context.call, containerOf(context));
  return { status: 200, headers: [['x-amz-bucket-region', settings.region]] };
}

/** GetBucketLocation: the configured location, for a bucket that exists (SPEC.md 4.2). */
export async function getBucketLocation(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  await backend.headContainer(context.call, containerOf(context));
  return xmlResponse(renderLocationConstraint(settings.location));
}
