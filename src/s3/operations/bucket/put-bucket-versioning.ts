import { BackendError } from '../../../backend/errors.js';
import { hasLocks } from '../../bucket-versions.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { aclOfSegments } from '../../rules/acl/container-acl.js';
import { requireUnlockedToSuspend } from '../../rules/object-lock/refusals.js';
import { versioningPatch } from '../../rules/versioning.js';
import { segmentsContainer } from '../../segments/names.js';
import { archiveContainer } from '../../versions/names.js';
import { requireVersionSupport } from '../../versions/support.js';
import { XML_BODY_BYTES_MAX } from '../../xml/parse.js';
import { parseVersioningConfiguration } from '../../xml/versioning-configuration.js';
import { containerOf } from '../refs.js';

/** PutBucketVersioning: SPEC.md 3.1. Objects that are there become versions `null` when written to. */
export async function putBucketVersioning(context: RequestContext): Promise<S3Response> {
  const { backend } = context.services;
  requireVersionSupport(backend.capabilities);
  const body = await context.openPayload().collect(XML_BODY_BYTES_MAX);
  const status = parseVersioningConfiguration(body);
  const { systemMetadata } = await context.containerHead();
  requireUnlockedToSuspend(status, hasLocks(systemMetadata));
  // Here already: gateways that knew a former bucket of this name take it to have an archive.
  const { account, container: bucket } = containerOf(context);
  const archive = archiveContainer(account, bucket);
  await backend.createContainer(context.call, archive, { placedLike: bucket });
  await backend.updateContainer(
    context.call,
    { account, container: bucket },
    {
      systemMetadata: versioningPatch(status),
    },
  );
  await closeSegments(context);
  return { status: 200, headers: [], body: '' };
}

/** To writers of Swift's: from now on they would write to the parts of versions. */
async function closeSegments(context: RequestContext): Promise<void> {
  const { backend } = context.services;
  const { account, container: bucket } = containerOf(context);
  const segments = segmentsContainer(account, bucket);
  try {
    const { acl } = await backend.headContainer({ ...context.call, newest: true }, segments);
    if (acl.write === '') return;
    await backend.updateContainer(context.call, segments, { acl: aclOfSegments(acl, true) });
  } catch (error) {
    if (!(error instanceof BackendError && error.code === 'NoSuchContainer')) throw error;
  }
}
