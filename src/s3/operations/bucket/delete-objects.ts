import { BackendError } from '../../../backend/errors.js';
import { mapLimited } from '../../../map-limited.js';
import { toS3Error } from '../../backend-errors.js';
import { errorEntry } from '../../errors.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { requireBodyChecksum } from '../../rules/multi-delete.js';
import { requireKeyLength } from '../../rules/object-key.js';
import { isVersionId, NULL_VERSION_ID } from '../../rules/version-id.js';
import { refuseConditions } from '../../rules/write-conditions.js';
import { S3Error } from '../../s3-error.js';
import { DELETE_BYTES_MAX, type ObjectToDelete } from '../../xml/delete.js';
import { renderDeleteResult, type DeleteOutcome } from '../../xml/delete-result.js';
import { containerOf } from '../refs.js';
import { xmlResponse } from '../xml-response.js';

/** Deletes under way at once. They share commits: 1000 take 30 ms, and more at once save little. */
const IN_FLIGHT_MAX = 32;

/**
 * DeleteObjects: up to 1000 keys, each with an outcome of its own, in the order of the request. A
 * missing key is an error and no silent delete (SPEC.md 4.2). A key that the request names twice is
 * deleted once, and has one outcome.
 */
export async function deleteObjects(context: RequestContext): Promise<S3Response> {
  requireBodyChecksum(context.headers);
  refuseConditions(context.headers);
  // A bucket that is not there is an error of the request, not of each key.
  await context.containerHead();
  const body = await context.openPayload().collect(DELETE_BYTES_MAX);
  const { objects, quiet } = await context.services.documents.parse('Delete', body);

  const distinct = [...new Map(objects.map((object) => [identityOf(object), object])).entries()];
  const failures = new Map<string, S3Error>();
  await mapLimited(distinct, IN_FLIGHT_MAX, async ([identity, object]) => {
    const failure = await deleteOne(context, object);
    if (failure !== undefined) failures.set(identity, failure);
  });
  const outcomes = objects.map((object) => outcomeOf(object, failures.get(identityOf(object))));
  return { ...xmlResponse(renderDeleteResult(outcomes, quiet)), failures: [...failures.values()] };
}

/** Keys have no NUL. Without versions, an object and its version `null` are the same. */
function identityOf({ key, versionId = NULL_VERSION_ID }: ObjectToDelete): string {
  return `${versionId}\0${key}`;
}

/**
 * @returns why it could not be deleted
 * @throws what ends the whole request: the client left, or a defect
 */
async function deleteOne(
  context: RequestContext,
  object: ObjectToDelete,
): Promise<S3Error | undefined> {
  try {
    requireDeletable(object);
    const { backend, segments } = context.services;
    const ref = { ...containerOf(context), object: object.key };
    const deleted = await backend.deleteObject(context.call, ref);
    if (deleted.outcome === 'deleted') {
      segments.replaced(ref, deleted.removedManifest, context.call.requestId);
    }
    return undefined;
  } catch (error) {
    if (error instanceof S3Error) return error;
    if (error instanceof BackendError) return toS3Error(error);
    throw error;
  }
}

/** @throws S3Error `KeyTooLongError`, `InvalidArgument`; `NoSuchVersion` while there are none */
function requireDeletable({ key, versionId }: ObjectToDelete): void {
  requireKeyLength(key);
  if (versionId === undefined || versionId === NULL_VERSION_ID) return;
  if (!isVersionId(versionId)) {
    throw new S3Error('InvalidArgument', 'Invalid version id specified');
  }
  throw new S3Error('NoSuchVersion');
}

function outcomeOf(
  { key, versionId }: ObjectToDelete,
  failure: S3Error | undefined,
): DeleteOutcome {
  if (failure === undefined) return { outcome: 'deleted', key, versionId };
  const { code, message } = failure;
  return {
    outcome: 'failed',
    key,
    versionId,
    code,
    message: message === '' ? errorEntry(code).message : message,
  };
}
