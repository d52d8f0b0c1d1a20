import { quoteEtag } from '../rules/etags.js';
import { renderChecksum, type ResultChecksum } from './checksum-elements.js';
import { element, xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';

export interface CompleteMultipartUploadResult {
  /** The URI of the object, percent-encoded. */
  readonly location: string;
  readonly bucket: string;
  readonly key: string;
  /** Unquoted. */
  readonly etag: string;
  readonly checksum?: ResultChecksum | undefined;
}

/** The answer of CompleteMultipartUpload. */
export function renderCompleteMultipartUploadResult(result: CompleteMultipartUploadResult): string {
  return xmlDocument(
    `<CompleteMultipartUploadResult xmlns="${S3_NAMESPACE}">` +
      element('Location', result.location) +
      element('Bucket', result.bucket) +
      element('Key', result.key) +
      element('ETag', quoteEtag(result.etag)) +
      `${renderChecksum(result.checksum)}</CompleteMultipartUploadResult>`,
  );
}
