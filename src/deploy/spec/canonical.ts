import { createHash } from 'node:crypto';

/**
 * JSON with the keys of every object in the order of their code units: equal values are equal texts,
 * whatever wrote them. Members that are undefined are left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The entity tag of a document, as `ETag` has it but for the quotes: `sha256-…`. */
export function etagOf(document: unknown): string {
  return `sha256-${sha256(canonicalJson(document))}`;
}
