import { setTimeout } from 'node:timers/promises';
import type { ContainerHead } from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { S3Error } from '../errors.js';
import { type RequestContext, type S3Response, containerOf } from '../operation.js';
import { hasVersions } from '../versions/listing/versions-page.js';
import { archiveContainer } from '../versions/names.js';
import { bucketVersioning } from './configuration.js';
import { versionsSource } from './list-object-versions.js';

/** By how much an object that was rewritten in one millisecond may be of later. */
const REWRITTEN_MS = 4;

/**
 * DeleteBucket: `BucketNotEmpty` while it holds any object, version or delete marker. As in AWS, open
 * multipart uploads do not keep it from going, and go with it.
 *
 * The store knows of objects, and not of versions behind delete markers. Those are looked for before
 * the bucket goes, and once more when nobody can add to them any more: who wrote one in between was
 * told that it is there.
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
  // What was written in that millisecond is from before, and may be told a little later, one time
  // after the other. Whoever makes the bucket anew is later, also where the clock was set back.
  let now = startedAt;
  while (now >= startedAt && now < startedAt + REWRITTEN_MS) {
    await setTimeout(1);
    now = Date.now();
  }
  const deletedAfter = Math.min(startedAt + REWRITTEN_MS, now);
  // As it is now: who asked for versions in between gets them back.
  const head = await backend.headContainer(context.call, containerOf(context));
  try {
    await backend.deleteContainer(context.call, containerOf(context));
  } catch (error) {
    // It was there: the store has deleted it with a call whose answer was lost, and repeated that.
    if (!isCode(error, 'NoSuchContainer')) throw error;
  }
  await requireNoVersions(context, head);
  const deleted = { account, bucket, deletedAfter };
  // Only now: while the bucket was there, an object could still be made of those parts.
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
    // What keeps the archive from being looked into may keep its place from being known, too.
    await backend
      .createContainer(context.call, bucket, { ...as, placedLike })
      .catch(() => backend.createContainer(context.call, bucket, as));
    throw error;
  }
}
