import { setTimeout } from 'node:timers/promises';
import type { ContainerHead } from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { S3Error } from '../errors.js';
import { type RequestContext, type S3Response, containerOf } from '../operation.js';
import { hasVersions } from '../versions/listing/versions-page.js';
import { archiveContainer } from '../versions/names.js';
import { bucketVersioning } from './configuration.js';
import { versionsSource } from './list-object-versions.js';

/** The most by which repeated writes within one millisecond can be dated later. */
const REWRITTEN_MS = 4;

/**
 * DeleteBucket: `BucketNotEmpty` while it holds any object, version or delete marker. Like in AWS,
 * open multipart uploads do not prevent the deletion, and are deleted too.
 *
 * The store knows objects, but not versions behind delete markers. Those are looked for before the
 * deletion, and again when no writer can add any more: a version written in between was
 * acknowledged.
 */
export async function deleteBucket(context: RequestContext): Promise<S3Response> {
  const { backend, segments } = context.services;
  const { account, container: bucket } = containerOf(context);
  const { systemMetadata } = await context.containerHead();
  const startedAt = Date.now();
  const keepsVersions = bucketVersioning(systemMetadata) !== 'unversioned';
  if (keepsVersions && (await hasVersions(versionsSource(context)))) {
    throw new S3Error('BucketNotEmpty');
  }
  // Writes of that millisecond belong to the deleted bucket, and may be dated a little later one by
  // one. The bucket's next creation is always later, also if the clock was set back.
  let now = startedAt;
  while (now >= startedAt && now < startedAt + REWRITTEN_MS) {
    await setTimeout(1);
    now = Date.now();
  }
  const deletedAfter = Math.min(startedAt + REWRITTEN_MS, now);
  // The bucket's present state: a client that enabled versions in between gets them back.
  const head = await backend.headContainer(context.call, containerOf(context), { newest: true });
  try {
    await backend.deleteContainer(context.call, containerOf(context));
  } catch (error) {
    // It was there: the store has deleted it with a call whose answer was lost, and repeated that.
    if (!isCode(error, 'NoSuchContainer')) throw error;
  }
  context.services.lifecycles.forget(containerOf(context));
  await requireNoVersions(context, head);
  const deleted = { account, bucket, deletedAfter };
  // The parts go last: while the bucket existed, an object could still be made of them.
  await segments.bucketDeleted(deleted, context.call.requestId);
  return { status: 204, headers: [] };
}

/** @throws S3Error `BucketNotEmpty` when there are versions after all: the bucket is there again */
async function requireNoVersions(context: RequestContext, head: ContainerHead): Promise<void> {
  try {
    if (await hasVersions(versionsSource(context))) throw new S3Error('BucketNotEmpty');
  } catch (error) {
    const { metadata, systemMetadata, acl } = head;
    const bucket = containerOf(context);
    const { container: placedLike } = archiveContainer(bucket.account, bucket.container);
    const { backend } = context.services;
    const as = { metadata, systemMetadata, acl };
    // A failure that hides the content of the archive may hide its place, too.
    await backend
      .createContainer(context.call, bucket, { ...as, placedLike })
      .catch(() => backend.createContainer(context.call, bucket, as));
    throw error;
  }
}
