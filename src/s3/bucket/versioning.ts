import { type RequestContext, type S3Response, xmlResponse, containerOf } from '../operation.js';
import { readDocument } from '../request/request-document.js';
import { requireUnlockedToSuspend } from '../rules/object-lock/refusals.js';
import { versioningPatch } from '../rules/versioning.js';
import { archiveContainer, requireVersionSupport } from '../versions/names.js';
import { renderVersioningConfiguration } from '../xml/versioning-configuration.js';
import { closeSegments } from './acl.js';
import { changeBucket } from './change-bucket.js';
import { bucketVersioning, hasLocks, requireNoStoreVersioning } from './configuration.js';

/** GetBucketVersioning. SPEC.md 4.2. */
export async function getBucketVersioning(context: RequestContext): Promise<S3Response> {
  const { systemMetadata } = await context.containerHead({ newest: true });
  return xmlResponse(renderVersioningConfiguration(bucketVersioning(systemMetadata)));
}

/** PutBucketVersioning: SPEC.md 3.1. Objects that are there become versions `null` when written to. */
export async function putBucketVersioning(context: RequestContext): Promise<S3Response> {
  const { backend } = context.services;
  requireVersionSupport(backend.capabilities);
  const status = await readDocument(context, 'VersioningConfiguration');
  const { account, container: bucket } = containerOf(context);
  // As it is now: a client of the store may just have turned the store's own versioning on.
  const head = await backend.headContainer(
    context.call,
    { account, container: bucket },
    { newest: true },
  );
  const { systemMetadata } = head;
  requireUnlockedToSuspend(status, hasLocks(systemMetadata));
  requireNoStoreVersioning(head);
  // Here already: gateways that knew a former bucket of this name take it to have an archive.
  const archive = archiveContainer(account, bucket);
  await backend.createContainer(context.call, archive, { placedLike: bucket });
  // Writers of Swift's would from now on write to the parts of versions.
  await changeBucket(context, { systemMetadata: versioningPatch(status) }, closeSegments);
  return { status: 200, headers: [], body: '' };
}
