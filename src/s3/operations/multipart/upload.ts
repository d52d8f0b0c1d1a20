import type { ObjectHead } from '../../../backend/backend.js';
import { BackendError, type BackendErrorCode } from '../../../backend/errors.js';
import type { RequestContext } from '../../operation.js';
import { noSuchUpload, parseUploadId } from '../../rules/upload-id.js';
import { markerOf, type Upload } from '../../segments/names.js';

/** What the operations on one upload have in common. */

/** The upload that a request names. @throws S3Error `NoSuchUpload` for what can be no id */
export function uploadOf({ principal, endpoint }: RequestContext): Upload {
  return {
    account: principal.account,
    bucket: endpoint.bucket,
    key: endpoint.key,
    uploadId: parseUploadId(endpoint.query),
  };
}

/**
 * The marker of an open upload: all that its object will get.
 * @throws S3Error `NoSuchUpload` for one that never was, was aborted or completed; BackendError
 *   NoSuchContainer when the bucket is not there either
 */
export async function requireOpenUpload(
  context: RequestContext,
  upload: Upload,
): Promise<ObjectHead> {
  try {
    return await context.services.backend.headObject(context.call, markerOf(upload));
  } catch (error) {
    if (!isGone(error)) throw error;
    await context.containerHead();
    throw noSuchUpload(upload.uploadId);
  }
}

/** What a write into an upload threw: one that was aborted or completed meanwhile is named. */
export function asUploadError(error: unknown, { uploadId }: Upload): unknown {
  const gone = error instanceof BackendError && GONE.has(error.code);
  return gone ? noSuchUpload(uploadId) : error;
}

/** With the bucket, its companion container is deleted. */
const GONE: ReadonlySet<BackendErrorCode> = new Set(['GuardMissing', 'NoSuchContainer']);

/** Whether an object is not there, with or without its container. */
export function isGone(error: unknown): boolean {
  return (
    error instanceof BackendError &&
    (error.code === 'NoSuchObject' || error.code === 'NoSuchContainer')
  );
}
