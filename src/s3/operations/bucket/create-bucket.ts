import type { RequestContext, S3Response } from '../../operation.js';
import { checkLocationConstraint } from '../../rules/location-constraint.js';
import { S3Error } from '../../s3-error.js';
import { parseCreateBucketConfiguration } from '../../xml/create-bucket-configuration.js';
import { XML_BODY_BYTES_MAX } from '../../xml/parse.js';
import { containerOf } from '../refs.js';

/**
 * CreateBucket. Names belong to an account, as Swift's containers do, so that only the caller can
 * own it already; like Swift's s3api, and AWS outside us-east-1, that answers 409.
 */
export async function createBucket(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  const body = await context.openPayload().collect(XML_BODY_BYTES_MAX);
  const { locationConstraint } = parseCreateBucketConfiguration(body);
  checkLocationConstraint(locationConstraint, settings);
  const outcome = await backend.createContainer(context.call, containerOf(context), {});
  if (outcome === 'exists') throw new S3Error('BucketAlreadyOwnedByYou');
  return { status: 200, headers: [['Location', `/${context.endpoint.bucket}`]], body: '' };
}
