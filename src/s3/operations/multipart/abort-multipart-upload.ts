import type { RequestContext, S3Response } from '../../operation.js';
import { S3Error } from '../../s3-error.js';
import { noSuchUpload } from '../../rules/upload-id.js';
import { markerOf } from '../../segments/names.js';
import { isGone, requireOpenUpload, uploadOf } from './upload.js';

/** AbortMultipartUpload. With its marker the upload is gone for everybody; then its parts go. */
export async function abortMultipartUpload(context: RequestContext): Promise<S3Response> {
  const { backend, segments } = context.services;
  const upload = uploadOf(context);
  await requireOpenUpload(context, upload);
  try {
    const { outcome } = await backend.deleteObject(context.call, markerOf(upload));
    // Its parts stay as long as it is open.
    if (outcome !== 'deleted') throw new S3Error('OperationAborted');
  } catch (error) {
    throw isGone(error) ? noSuchUpload(upload.uploadId) : error;
  }
  await segments.aborted(upload, context.call.requestId);
  return { status: 204, headers: [] };
}
