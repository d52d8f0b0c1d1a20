import type { ObjectHead } from '../../backend/backend.js';
import { BackendError, type BackendErrorCode } from '../../backend/errors.js';
import { S3Error } from '../errors.js';
import type { RequestContext, S3Response } from '../operation.js';
import { isUploadId, noSuchUpload } from '../rules/upload-id.js';
import { markerOf, type Upload } from '../segments/names.js';
import { versionRef } from '../versions/names.js';

/** The common parts of the operations on one upload. */

/**
 * The upload that a request names.
 * @throws S3Error `NoSuchUpload` for no valid id; BackendError NoSuchContainer when the bucket is
 *   not there either
 */
export async function uploadOf(context: RequestContext): Promise<Upload> {
  const { principal, endpoint } = context;
  const uploadId = endpoint.query.get('uploadId') ?? '';
  if (!isUploadId(uploadId)) throw await missingUpload(context, uploadId);
  return { account: principal.account, bucket: endpoint.bucket, key: endpoint.key, uploadId };
}

/** The answer where an upload is not there. @throws BackendError NoSuchContainer for the bucket */
async function missingUpload(context: RequestContext, uploadId: string): Promise<S3Error> {
  await context.containerHead();
  return noSuchUpload(uploadId);
}

/**
 * The marker of an open upload: all that its object will get. A link in its place is of a client of
 * the store, who may not read what this requester may: nothing of its target gets into the object.
 * @throws S3Error `NoSuchUpload` for one that never was, was aborted or completed; BackendError
 *   NoSuchContainer when the bucket is not there either
 */
export async function requireOpenUpload(
  context: RequestContext,
  upload: Upload,
): Promise<ObjectHead> {
  try {
    const head = await context.services.backend.headObject(context.call, markerOf(upload));
    if (head.link === undefined) return head;
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  throw await missingUpload(context, upload.uploadId);
}

/** The error of a write into an upload; it names one that was aborted or completed meanwhile. */
export function asUploadError(error: unknown, { uploadId }: Upload): unknown {
  const gone = error instanceof BackendError && GONE.has(error.code);
  return gone ? noSuchUpload(uploadId) : error;
}

/** The companion container is deleted with the bucket. */
const GONE: ReadonlySet<BackendErrorCode> = new Set(['GuardMissing', 'NoSuchContainer']);

/** Whether an object is not there, with or without its container. */
export function isGone(error: unknown): boolean {
  return (
    error instanceof BackendError &&
    (error.code === 'NoSuchObject' || error.code === 'NoSuchContainer')
  );
}

/**
 * AbortMultipartUpload. Removing the marker ends the upload for all clients; then its parts are
 * removed.
 */
export async function abortMultipartUpload(context: RequestContext): Promise<S3Response> {
  const { backend, segments } = context.services;
  const upload = await uploadOf(context);
  try {
    await requireOpenUpload(context, upload);
    const { outcome } = await backend.deleteObject(context.call, markerOf(upload));
    // Its parts stay as long as it is open.
    if (outcome !== 'deleted') throw new S3Error('OperationAborted');
  } catch (error) {
    const isEnded = isGone(error) || (error instanceof S3Error && error.code === 'NoSuchUpload');
    if (!isEnded) throw error;
    if (!(await giveUpUnfinished(context, upload))) {
      throw await missingUpload(context, upload.uploadId);
    }
  }
  await segments.aborted(upload, context.call.requestId);
  return { status: 204, headers: [] };
}

/**
 * The same of an upload whose completion stopped before there was a version: its client was told
 * that it failed.
 * @returns false when there is none, or the upload is a version by now
 */
async function giveUpUnfinished(context: RequestContext, upload: Upload): Promise<boolean> {
  const { backend, versions } = context.services;
  const call = { requestId: context.call.requestId };
  const found = await versions.findUnfinished(call, upload, upload.uploadId);
  for (const { entry } of found) {
    const isGivenUp = await versions.giveUpVersion(call, upload, entry.name, upload.uploadId);
    if (!isGivenUp) return false;
    await backend.deleteObject(call, versionRef(upload, entry.name)).catch(unlessGone);
  }
  return found.length > 0;
}

function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error;
}
