import { BackendError } from '../../backend/errors.js';
import { mapLimited } from '../../lib/promises.js';
import { errorEntry, S3Error } from '../errors.js';
import { deleteKey, deleteNamedVersion, requireVersionDeletion } from '../object/delete-object.js';
import { type RequestContext, type S3Response, containerOf, xmlResponse } from '../operation.js';
import { toS3Error } from '../request/failures.js';
import { readDocument } from '../request/request-document.js';
import { requireBodyChecksum } from '../rules/multi-delete.js';
import { requireKeyLength } from '../rules/object-key.js';
import { parseBypassHeader } from '../rules/object-lock/headers.js';
import { isVersionId, NULL_VERSION_ID } from '../rules/version-id.js';
import {
  deleteConditionOf,
  refuseConditions,
  type DeleteCondition,
} from '../rules/write-conditions.js';
import { currentRef, type VersionedKey } from '../versions/names.js';
import { renderDeleteResult, type DeleteOutcome } from '../xml/delete-result.js';
import type { ObjectToDelete } from '../xml/delete.js';
import { bucketVersioning } from './configuration.js';

/** Deletes under way at once. They share commits: 1000 take 30 ms, and more at once save little. */
const IN_FLIGHT_MAX = 32;

/**
 * DeleteObjects: up to 1000 keys, each with an outcome of its own, in the order of the request. A
 * missing key is an error and no silent delete (SPEC.md 4.2). A key that the request names twice is
 * deleted once, and has one outcome, unless it is to have different ETags.
 */
export async function deleteObjects(context: RequestContext): Promise<S3Response> {
  requireBodyChecksum(context.headers);
  refuseConditions(context.headers);
  // A bucket that is not there is an error of the request, not of each key.
  const { systemMetadata } = await context.containerHead();
  const bypass = parseBypassHeader(context.headers);
  const { objects, quiet } = await readDocument(context, 'Delete');

  // Without versions, an object and its version `null` are the same. Keys have no NUL.
  const unnamed = bucketVersioning(systemMetadata) === 'unversioned' ? NULL_VERSION_ID : '';
  const identityOf = ({ key, versionId, etag }: ObjectToDelete): string =>
    etag === undefined ? `${versionId ?? unnamed}\0${key}` : `${versionId ?? ''}\0${key}\0${etag}`;
  const distinct = [...new Map(objects.map((object) => [identityOf(object), object])).entries()];
  const outcomes = new Map<string, Outcome>();
  await mapLimited(distinct, IN_FLIGHT_MAX, async ([identity, object]) => {
    outcomes.set(identity, await deleteOne(context, object, bypass));
  });
  const all = objects.map((object) => outcomeOf(object, outcomes.get(identityOf(object))));
  const failures = [...outcomes.values()].flatMap(({ failure }) => failure ?? []);
  return { ...xmlResponse(renderDeleteResult(all, quiet)), failures };
}

interface Outcome {
  /** Why it could not be deleted. */
  readonly failure?: S3Error;
  /** A delete marker was written, or was what was deleted. */
  readonly deleteMarkerVersionId?: string | undefined;
}

/** @throws what ends the whole request: the client left, or a defect */
async function deleteOne(
  context: RequestContext,
  object: ObjectToDelete,
  bypass: boolean,
): Promise<Outcome> {
  try {
    requireDeletable(context, object);
    const { versionId, etag } = object;
    const condition = etag === undefined ? undefined : deleteConditionOf(etag);
    if (versionId === undefined) return await deleteCurrent(context, object.key, condition);
    if (condition !== undefined) throw new S3Error('NotImplemented', ETAG_OF_VERSION);
    await requireVersionDeletion(context);
    const key = keyIn(context, object.key);
    const deleted = await deleteNamedVersion(context, key, versionId, bypass);
    if (deleted === 'absent') throw new S3Error('NoSuchVersion');
    return deleted.deleteMarker ? { deleteMarkerVersionId: versionId } : {};
  } catch (error) {
    if (error instanceof S3Error) return { failure: error };
    if (error instanceof BackendError) return { failure: toS3Error(error) };
    throw error;
  }
}

const ETAG_OF_VERSION = 'An ETag is of the current version, and goes with no VersionId.';

/**
 * Deletes the current object. Also with versions, a key without a current one is missing: SPEC.md
 * 4.2.
 */
async function deleteCurrent(
  context: RequestContext,
  name: string,
  condition: DeleteCondition | undefined,
): Promise<Outcome> {
  const { systemMetadata } = await context.containerHead();
  const key = keyIn(context, name);
  if (bucketVersioning(systemMetadata) !== 'unversioned' && condition === undefined) {
    await context.services.backend.headObject(context.call, currentRef(key));
  }
  return { deleteMarkerVersionId: await deleteKey(context, key, condition) };
}

function keyIn(context: RequestContext, key: string): VersionedKey {
  const { account, container: bucket } = containerOf(context);
  return { account, bucket, key };
}

/** @throws S3Error `KeyTooLongError`, `InvalidArgument` */
function requireDeletable(context: RequestContext, { key, versionId }: ObjectToDelete): void {
  requireKeyLength(containerOf(context).container, key);
  if (versionId !== undefined && !isVersionId(versionId)) {
    throw new S3Error('InvalidArgument', 'Invalid version id specified');
  }
}

function outcomeOf({ key, versionId }: ObjectToDelete, outcome: Outcome = {}): DeleteOutcome {
  const { failure, deleteMarkerVersionId } = outcome;
  if (failure === undefined) {
    const deleteMarker = deleteMarkerVersionId !== undefined;
    return { outcome: 'deleted', key, versionId, deleteMarker, deleteMarkerVersionId };
  }
  const { code, message } = failure;
  return {
    outcome: 'failed',
    key,
    versionId,
    code,
    message: message === '' ? errorEntry(code).message : message,
  };
}
