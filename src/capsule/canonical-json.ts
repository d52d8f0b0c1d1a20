/** What canonical JSON is made of. */
export type CanonicalValue =
  | null
  | boolean
  | string
  | number
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue };

/**
 * JSON in one form only: sorted keys, no blanks, whole numbers. The same value has the same bytes
 * wherever it is written.
 * @throws RangeError for a number that is not whole, or too large to be exact
 */
export function canonicalJson(value: CanonicalValue): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`${value} is not a whole number`);
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map((one) => canonicalJson(one)).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${canonicalJson(one)}`);
  return `{${members.join(',')}}`;
}

function isList(value: object): value is readonly CanonicalValue[] {
  return Array.isArray(value);
}
