import { parseQuery } from '../lib/uri.js';
import { SwiftError } from './swift-error.js';

/** A request's query: the first value of each name, as Swift takes it. */
export type Query = ReadonlyMap<string, string>;

/** @throws SwiftError 412 for what is not UTF-8 */
export function readQuery(rawQuery: string): Query {
  const query = new Map<string, string>();
  const parameters = parseQuery(rawQuery);
  if (parameters === undefined) throw new SwiftError(412, 'Invalid UTF8 or contains NULL');
  for (const { name, value } of parameters) {
    if (!query.has(name)) query.set(name, value ?? '');
  }
  return query;
}

const TRUE_WORDS: ReadonlySet<string> = new Set(['true', '1', 'yes', 'on', 't', 'y']);

/** Swift's config_true_value. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && TRUE_WORDS.has(value.toLowerCase());
}
