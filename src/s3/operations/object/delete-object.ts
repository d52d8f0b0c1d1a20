import { BackendError } from '../../../backend/errors.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { NULL_VERSION_ID, parseVersionId } from '../../rules/version-id.js';
import { parseDeleteCondition, writePreconditionFailed } from '../../rules/write-conditions.js';
import { S3Error } from '../../s3-error.js';
import { objectOf } from '../refs.js';
import { requireConditionSupport } from './write-support.js';

const GONE: S3Response = { status: 204, headers: [] };

/**
 * DeleteObject. What is not there is deleted: a missing key answers 204, as AWS does, and so does
 * a version that the bucket cannot have while it keeps none.
 */
export async function deleteObject(context: RequestContext): Promise<S3Response> {
  const { backend, segments } = context.services;
  const precondition = parseDeleteCondition(context.headers);
  requireConditionSupport(precondition, backend.capabilities);
  const versionId = parseVersionId(context.endpoint.query);
  if (versionId !== undefined && versionId !== NULL_VERSION_ID) {
    await backend.headContainer(context.call, objectOf(context));
    return GONE;
  }
  try {
    const deleted = await backend.deleteObject(context.call, objectOf(context), precondition);
    if (deleted.outcome === 'precondition_failed' && precondition !== undefined) {
      throw writePreconditionFailed(precondition);
    }
    if (deleted.outcome === 'deleted') {
      segments.replaced(objectOf(context), deleted.removedManifest, context.call.requestId);
    }
    // A newer write of the key exists, so that this one's object is gone all the same.
    return GONE;
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchObject') {
      if (precondition !== undefined) throw new S3Error('NoSuchKey');
      return GONE;
    }
    throw error;
  }
}
