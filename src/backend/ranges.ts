import type { ByteRange, RangeSpec } from './backend.js';

/**
 * The bytes of an object of `size` bytes that a Range header means (RFC 9110 section 14.1.2): the
 * end is clamped to the object, a suffix longer than the object is the whole of it.
 *
 * @returns `unsatisfiable` when it lies outside the object, as every range of an empty one does
 */
export function resolveRange(spec: RangeSpec, size: number): ByteRange | 'unsatisfiable' {
  if ('suffix' in spec) {
    if (spec.suffix <= 0 || size === 0) return 'unsatisfiable';
    return { start: Math.max(0, size - spec.suffix), end: size - 1 };
  }
  const { first, last = Infinity } = spec;
  if (first >= size || last < first) return 'unsatisfiable';
  return { start: first, end: Math.min(last, size - 1) };
}
