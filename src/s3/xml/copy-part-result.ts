import { renderCopyResult, type CopyResult } from './copy-result.js';
import { xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';

/** The answer of UploadPartCopy. */
export function renderCopyPartResult(result: CopyResult): string {
  return xmlDocument(
    `<CopyPartResult xmlns="${S3_NAMESPACE}">${renderCopyResult(result)}</CopyPartResult>`,
  );
}
