import type { RequestContext, S3Response } from '../../operation.js';
import { S3Error } from '../../s3-error.js';
import { noSuchUpload } from '../../rules/upload-id.js';
import { markerOf, type Upload } from '../../segments/names.js';
import { versionRef } from '../../versions/names.js';
import { isGone, requireOpenUpload, uploadOf } from './upload.js';

/** AbortMultipartUpload. With its marker the upload is gone for everybody; then its parts go. */
export async function abortMultipartUpload(context: RequestContext): Promise<S3Response> {
  const { backend, segments } = context.services;
  const upload = uploadOf(context);
  try {
    await requireOpenUpload(context, upload);
    const { outcome } = await backend.deleteObject(context.call, markerOf(upload));
    // Its parts stay as long as it is open.
    if (outcome !== 'deleted') throw new S3Error('OperationAborted');
  } catch (error) {
    const isEnded = isGone(error) || (error instanceof S3Error && error.code === 'NoSuchUpload');
    if (!isEnded) throw error;
    if (!(await giveUpUnfinished(context, upload))) throw noSuchUpload(upload.uploadId);
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
