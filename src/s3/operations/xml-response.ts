import type { HeaderList } from '../../http/exchange.js';
import { ScratchBytes } from '../../lib/buffers/scratch-memory.js';
import type { S3Response } from '../operation.js';
import type { Document } from '../xml/document-bytes.js';

/** A success whose body is an XML document. */
export function xmlResponse(document: Document, headers: HeaderList = []): S3Response {
  return {
    status: 200,
    headers: [['Content-Type', 'application/xml'], ...headers],
    body: document,
    contentLength: document instanceof ScratchBytes ? document.length : undefined,
  };
}
