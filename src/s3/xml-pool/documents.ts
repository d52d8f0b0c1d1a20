import { parseCompleteMultipartUpload } from '../xml/complete-multipart-upload.js';
import { parseDelete } from '../xml/delete.js';

/**
 * Documents that can be large enough to keep the event loop busy for long: the event loop and the
 * XML thread parse them by the same table. What a parser gives is plain data that JSON can carry.
 */
export const DOCUMENT_PARSERS = {
  Delete: parseDelete,
  CompleteMultipartUpload: parseCompleteMultipartUpload,
} as const satisfies Readonly<Record<string, (body: Buffer) => object>>;

export type DocumentName = keyof typeof DOCUMENT_PARSERS;

/** What the parser of that name returns. */
export type ParsedDocument<Name extends DocumentName> = ReturnType<(typeof DOCUMENT_PARSERS)[Name]>;

/** How operations read those documents, wherever that happens. */
export interface DocumentParser {
  /**
   * @param body verified; not changed, and not needed any more once the promise has settled
   * @throws S3Error as the document's parser; `ServiceUnavailable` when too many documents wait;
   *   `InternalError` when the thread that read this one was lost
   */
  parse<Name extends DocumentName>(name: Name, body: Buffer): Promise<ParsedDocument<Name>>;
}
