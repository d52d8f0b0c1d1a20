import { createHash } from 'node:crypto';
import { canonicalJson } from '../../lib/canonical-json.js';

/** SHA-256 in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The entity tag of a document, as `ETag` has it but for the quotes: `sha256-…`. */
export function etagOf(document: unknown): string {
  return `sha256-${sha256(canonicalJson(document))}`;
}
