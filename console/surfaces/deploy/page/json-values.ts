/** Values of a specification as it is edited: anything may be wrong with them. */

/** An object of a specification. */
export type Json = Record<string, unknown>;

/** The list itself; an empty one for any other value. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The object itself; an empty one for any other value. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** @param other for what is neither a text nor a number */
export function textOf(value: unknown, other = ''): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : other;
}
