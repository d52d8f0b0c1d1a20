import { requireStorable } from '../object/store-object.js';
import type { RequestContext, S3Response } from '../operation.js';
import { collectDocument } from '../request/request-document.js';
import { parseWriteCondition } from '../rules/write-conditions.js';
import { renderCompleteMultipartUploadResult } from '../xml/complete-multipart-upload-result.js';
import { escapeXml, xmlDeclaration } from '../xml/escape.js';
import { completeUpload } from './completion.js';
import { uploadOf } from './upload.js';

/**
 * CompleteMultipartUpload. A store may need long for many parts: the answer is then kept alive, and
 * a failure tells of itself in its body.
 */
export async function completeMultipartUpload(context: RequestContext): Promise<S3Response> {
  const { documents } = context.services;
  const upload = await uploadOf(context);
  const precondition = parseWriteCondition(context.headers);
  await requireStorable(context, precondition);
  // Its checksum headers are about the object.
  const options = { checksumHeadersOfBody: false };
  const body = await collectDocument(context, 'CompleteMultipartUpload', options);
  const { parts } = await documents.parse('CompleteMultipartUpload', body);

  const { bucket, key } = upload;
  const completing = completeUpload(context, { upload, requested: parts, precondition });
  return {
    status: 200,
    headers: [['Content-Type', 'application/xml']],
    pending: {
      declaration: xmlDeclaration(escapeXml(key)),
      document: completing.then(({ etag, checksum, headers }) => {
        const result = { location: context.url, bucket, key, etag, checksum };
        return { document: renderCompleteMultipartUploadResult(result), headers };
      }),
    },
  };
}
