import type { ObjectHead } from '../../../backend/backend.js';
import { BackendError } from '../../../backend/errors.js';
import { ownsBucket, requireObjectRead } from '../../authorisation.js';
import { bucketVersioning } from '../../bucket-versions.js';
import type { RequestContext } from '../../operation.js';
import { canonicalId } from '../../rules/acl/requester.js';
import {
  decideDeletion,
  governanceBypass,
  requireAllowed,
} from '../../rules/object-lock/decision.js';
import { storedLegalHold, storedRetention } from '../../rules/object-lock/stored.js';
import { NULL_VERSION_ID } from '../../rules/version-id.js';
import { writePreconditionFailed, type DeleteCondition } from '../../rules/write-conditions.js';
import { S3Error } from '../../s3-error.js';
import { currentRef, type VersionedKey } from '../../versions/names.js';
import type { RemovedVersion } from '../../versions/parts.js';
import { requireDeleteConditionSupport, requireVersionConditionSupport } from './write-support.js';

/** What DeleteObject and DeleteObjects do with one key: SPEC.md 3.1. */

/**
 * A key, without a version id: what is there goes, or is behind a delete marker from now on.
 *
 * @returns the version id of the delete marker; undefined where the bucket keeps no versions
 * @throws BackendError NoSuchObject there, when there is none; S3Error `PreconditionFailed`, `NoSuchKey`
 *   when there is nothing to match, `AccessDenied` to who may not read what is to have an ETag
 */
export async function deleteKey(
  context: RequestContext,
  key: VersionedKey,
  condition?: DeleteCondition,
): Promise<string | undefined> {
  // Whether an ETag is the object's is told to who may read it, as AWS says.
  if (condition?.etag !== undefined) await requireObjectRead(context, key);
  const { systemMetadata } = await context.containerHead();
  const state = bucketVersioning(systemMetadata);
  if (state === 'unversioned') return deletePlain(context, key, condition);
  const { services, call } = context;
  requireVersionConditionSupport(condition, services.backend.capabilities);
  const nullVersion = state === 'Suspended';
  const created = await services.versions.createDeleteMarker(call, key, {
    nullVersion,
    condition,
    owner: context.principal.role === 'owner' ? undefined : canonicalId(context.principal),
  });
  forgetParts(context, key, created.removed);
  return created.versionId;
}

/**
 * Exactly that version, for good, unless its locks forbid it: SPEC.md 3.3.
 *
 * @param bypass - whether the request wants to get past GOVERNANCE
 * @throws S3Error `AccessDenied`
 */
export async function deleteNamedVersion(
  context: RequestContext,
  key: VersionedKey,
  versionId: string,
  bypass: boolean,
): Promise<{ readonly deleteMarker: boolean } | 'absent'> {
  const { systemMetadata } = await context.containerHead();
  if (bucketVersioning(systemMetadata) === 'unversioned') {
    return deleteOnlyVersion(context, key, versionId);
  }
  const deleted = await context.services.versions.deleteVersion(
    context.call,
    key,
    versionId,
    (head) => {
      requireDeletable(context, head, bypass);
    },
  );
  if (deleted === 'absent') return 'absent';
  forgetParts(context, key, deleted.removed);
  return { deleteMarker: deleted.deleteMarker };
}

/**
 * No ACL grants more than writing, which can be undone: who deletes versions owns the bucket.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html
 *
 * @throws S3Error `AccessDenied`
 */
export async function requireVersionDeletion(context: RequestContext): Promise<void> {
  if (!(await ownsBucket(context))) throw new S3Error('AccessDenied');
}

/** Tells of large objects that are gone: their parts may be garbage now. */
export function forgetParts(
  { services, call }: RequestContext,
  key: VersionedKey,
  removed: readonly RemovedVersion[],
): void {
  for (const { manifest } of removed) {
    services.segments.replaced(currentRef(key), manifest, call.requestId);
  }
}

function requireDeletable(
  { services, principal }: RequestContext,
  { systemMetadata }: ObjectHead,
  bypass: boolean,
): void {
  requireAllowed(
    decideDeletion({
      existing: storedRetention(systemMetadata),
      legalHold: storedLegalHold(systemMetadata),
      bypass: governanceBypass(bypass, principal.role === 'owner'),
      now: Date.now(),
      clock: services.clock.state(),
    }),
  );
}

/** Of a bucket that keeps no versions: its objects are all version `null`. */
async function deleteOnlyVersion(
  context: RequestContext,
  key: VersionedKey,
  versionId: string,
): Promise<{ readonly deleteMarker: boolean } | 'absent'> {
  if (versionId !== NULL_VERSION_ID) return 'absent';
  try {
    await deletePlain(context, key);
    return { deleteMarker: false };
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchObject') return 'absent';
    throw error;
  }
}

async function deletePlain(
  { services, call }: RequestContext,
  key: VersionedKey,
  condition?: DeleteCondition,
): Promise<undefined> {
  const { backend, segments } = services;
  requireDeleteConditionSupport(condition, backend.capabilities);
  const ref = currentRef(key);
  const deleted = await backend.deleteObject(call, ref, condition);
  if (deleted.outcome === 'precondition_failed' && condition !== undefined) {
    throw writePreconditionFailed(condition);
  }
  // Swift's 409: by the clocks of its servers something newer stands there, and it stays. That need
  // not be newer for the client, so it must not believe that its object is gone.
  if (deleted.outcome !== 'deleted') throw new S3Error('OperationAborted');
  segments.replaced(ref, deleted.removedManifest, call.requestId);
  return undefined;
}
