import { renderCopyResult, type CopyResult } from './copy-result.js';
import { xmlDocument } from './escape.js';
import { S3_NAMESPACE } from './namespace.js';

/** The answer of CopyObject. */
export function renderCopyObjectResult(result: CopyResult): string {
  return xmlDocument(
    `<CopyObjectResult xmlns="${S3_NAMESPACE}">${renderCopyResult(result)}</CopyObjectResult>`,
  );
}
