import { formatIsoDate } from '../rules/dates.js';
import { quoteEtag } from '../rules/etags.js';
import { renderChecksum, type ResultChecksum } from './checksum-elements.js';
import { element } from './escape.js';

/** The content of CopyObjectResult and CopyPartResult, which share all of it. */
export interface CopyResult {
  /** Milliseconds since the epoch; ISO in the document, never an HTTP date (SPEC.md 2.4). */
  readonly lastModified: number;
  /** Unquoted. */
  readonly etag: string;
  readonly checksum?: ResultChecksum | undefined;
}

export function renderCopyResult(result: CopyResult): string {
  return (
    `<LastModified>${formatIsoDate(result.lastModified)}</LastModified>` +
    element('ETag', quoteEtag(result.etag)) +
    renderChecksum(result.checksum)
  );
}
