import { BackendError } from '../../../backend/errors.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { parseBypassHeader } from '../../rules/object-lock/headers.js';
import { parseVersionId } from '../../rules/version-id.js';
import { parseDeleteCondition } from '../../rules/write-conditions.js';
import { S3Error } from '../../s3-error.js';
import { deleteKey, deleteNamedVersion, requireVersionDeletion } from './deletion.js';
import { deleteMarkerHeaders, keyOf } from './named-version.js';

const GONE: S3Response = { status: 204, headers: [] };

/**
 * DeleteObject. What is not there is deleted: a missing key or version answers 204, as AWS does.
 * SPEC.md 3.1
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
    if (deleted === 'absent') return GONE;
    return { status: 204, headers: headersOf(versionId, deleted.deleteMarker) };
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
