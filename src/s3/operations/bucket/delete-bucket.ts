import { bucketVersioning } from '../../bucket-versions.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { S3Error } from '../../s3-error.js';
import { hasVersions } from '../../versions/listing/has-versions.js';
import { removeVersionsContainer } from '../../versions/remove.js';
import { containerOf } from '../refs.js';
import { versionsSource } from '../versions-source.js';

/**
 * DeleteBucket: `BucketNotEmpty` while it holds any object, version or delete marker. As in AWS, open
 * multipart uploads do not keep it from going, and go with it.
 */
export async function deleteBucket(context: RequestContext): Promise<S3Response> {
  const { backend, segments } = context.services;
  const { account, container: bucket } = containerOf(context);
  const { systemMetadata } = await context.containerHead();
  const keepsVersions = bucketVersioning(systemMetadata) !== 'unversioned';
  const deletedAfter = Date.now();
  if (keepsVersions && (await hasVersions(versionsSource(context)))) {
    throw new S3Error('BucketNotEmpty');
  }
  await backend.deleteContainer(context.call, { account, container: bucket });
  // Only now: while the bucket was there, an object could still be made of those parts.
  await segments.bucketDeleted(account, bucket, context.call.requestId);
  if (keepsVersions) {
    await removeVersionsContainer(backend, context.call, { account, bucket, deletedAfter });
  }
  return { status: 204, headers: [] };
}
