import { element, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';

export interface InitiateMultipartUploadResult {
  readonly bucket: string;
  readonly key: string;
  readonly uploadId: string;
}

/** The answer of CreateMultipartUpload. */
export function renderInitiateMultipartUploadResult(result: InitiateMultipartUploadResult): string {
  return xmlDocument(
    `<InitiateMultipartUploadResult xmlns="${S3_NAMESPACE}">` +
      element('Bucket', result.bucket) +
      element('Key', result.key) +
      `${element('UploadId', result.uploadId)}</InitiateMultipartUploadResult>`,
  );
}
