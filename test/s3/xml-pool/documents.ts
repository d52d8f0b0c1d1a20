import { ScratchBytes } from '../../../src/lib/buffers/scratch-memory.js';
import type { Document } from '../../../src/s3/xml/document-bytes.js';

/** A document as it goes over the wire; its memory is given back. */
export async function textOfDocument(document: Document): Promise<string> {
  if (!(document instanceof ScratchBytes)) return document.toString();
  const chunks: Buffer[] = [];
  for await (const chunk of document) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
