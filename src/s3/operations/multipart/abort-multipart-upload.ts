import type { RequestContext, S3Response } from '../../operation.js';
import { noSuchUpload } from '../../rules/upload-id.js';
import { markerOf } from '../../segments/names.js';
import { isGone, requireOpenUpload, uploadOf } from './upload.js';

/** AbortMultipartUpload. With its marker the upload is gone for everybody; then its parts go. */
export async function abortMultipartUpload(context: RequestContext): Promise<S3Response> {
  const { backend, segments } = context.services;
  const upload = uploadOf(context);
  await requireOpenUpload(context, upload);
  try {
    await backend.deleteObject(context.call, markerOf(upload));
  } catch (error) {
    throw isGone(error) ? noSuchUpload(upload.uploadId) : error;
  }
  await segments.aborted(upload, context.call.requestId);
  return { status: 204, headers: [] };
}
