import type { ObjectHead } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import { versioningForWrites } from '../bucket/configuration.js';
import { S3Error } from '../errors.js';
import type { RequestContext, S3Response } from '../operation.js';
import { decideByBucket, mayBeStale } from '../request/bucket-decision.js';
import { ownsBucket, requireObjectRead } from '../request/authorisation.js';
import { canonicalId } from '../rules/acl/requester.js';
import { decideDeletion, governanceBypass, requireAllowed } from '../rules/object-lock/decision.js';
import { parseBypassHeader } from '../rules/object-lock/headers.js';
import { storedLegalHold, storedRetention } from '../rules/object-lock/stored.js';
import type { VersioningState } from '../rules/versioning.js';
import { NULL_VERSION_ID, parseVersionId } from '../rules/version-id.js';
import {
  writePreconditionFailed,
  type DeleteCondition,
  parseDeleteCondition,
} from '../rules/write-conditions.js';
import type { RemovedVersion } from '../versions/commit-written.js';
import { currentRef, type VersionedKey } from '../versions/names.js';
import { deleteMarkerHeaders, keyOf } from './named-version.js';
import {
  requireDeleteConditionSupport,
  requireVersionConditionSupport,
} from './condition-support.js';

/** The deletion of one key by DeleteObject and DeleteObjects: SPEC.md 3.1. */

/**
 * A key, without a version id: its object is deleted, or is behind a delete marker from now on.
 *
 * @returns the version id of the delete marker; undefined where the bucket keeps no versions
 * @throws BackendError NoSuchObject there, when there is none; S3Error `PreconditionFailed`, `NoSuchKey`
 *   when there is nothing to match, `AccessDenied` when the object to match may not be read
 */
export async function deleteKey(
  context: RequestContext,
  key: VersionedKey,
  condition?: DeleteCondition,
): Promise<string | undefined> {
  // Only a requester that may read the object learns whether an ETag matches, as AWS says.
  if (condition?.etag !== undefined) await requireObjectRead(context, key);
  const state = await decideByBucket(context, versioningForWrites);
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
 * @throws S3Error `AccessDenied`, `InvalidBucketState` where the store keeps versions of its own
 */
export async function deleteNamedVersion(
  context: RequestContext,
  key: VersionedKey,
  versionId: string,
  bypass: boolean,
): Promise<{ readonly deleteMarker: boolean } | 'absent'> {
  if ((await versioningNow(context)) === 'unversioned') {
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

/** That there are no versions is never taken from a moment ago: another one would be deleted, or none. */
async function versioningNow(context: RequestContext): Promise<VersioningState> {
  const state = await decideByBucket(context, versioningForWrites);
  if (state !== 'unversioned' || !mayBeStale(context)) return state;
  return versioningForWrites(await context.containerHead({ newest: true }));
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

/** Deletes from a bucket without versions: its objects are all version `null`. */
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
  // Swift's 409: its servers' clocks have something newer here, and it stays. It need not be newer
  // for the client, who must not believe that the object is gone.
  if (deleted.outcome !== 'deleted') throw new S3Error('OperationAborted');
  segments.replaced(ref, deleted.removedManifest, call.requestId);
  return undefined;
}

const GONE: S3Response = { status: 204, headers: [] };

/**
 * DeleteObject. A missing key or version counts as deleted: 204, as in AWS. SPEC.md 3.1
 */
export async function deleteObject(context: RequestContext): Promise<S3Response> {
  const versionId = parseVersionId(context.endpoint.query);
  const bypass = parseBypassHeader(context.headers);
  const condition = parseDeleteCondition(context.headers);
  if (versionId !== undefined) {
    if (condition !== undefined)
      throw new S3Error('NotImplemented', undefined, { Header: 'If-Match' });
    await requireVersionDeletion(context);
    const deleted = await deleteNamedVersion(context, keyOf(context), versionId, bypass);
    const wasMarker = deleted !== 'absent' && deleted.deleteMarker;
    return { status: 204, headers: headersOf(versionId, wasMarker) };
  }
  try {
    const marker = await deleteKey(context, keyOf(context), condition);
    return marker === undefined ? GONE : { status: 204, headers: deleteMarkerHeaders(marker) };
  } catch (error) {
    if (!(error instanceof BackendError && error.code === 'NoSuchObject')) throw error;
    if (condition !== undefined) throw new S3Error('NoSuchKey');
    return GONE;
  }
}

function headersOf(versionId: string, deleteMarker: boolean): S3Response['headers'] {
  return deleteMarker ? deleteMarkerHeaders(versionId) : [['x-amz-version-id', versionId]];
}
