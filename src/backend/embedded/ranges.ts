import type { ByteRange, RangeSpec } from '../backend.js';

/** What a requested range means for a body of `size` bytes (RFC 9110, 14.1.2). */
export function resolveRange(spec: RangeSpec, size: number): ByteRange | 'unsatisfiable' {
  if ('suffix' in spec) {
    if (spec.suffix <= 0 || size === 0) return 'unsatisfiable';
    return { start: Math.max(0, size - spec.suffix), end: size - 1 };
  }
  const { first, last = Infinity } = spec;
  if (first >= size || last < first) return 'unsatisfiable';
  return { start: first, end: Math.min(last, size - 1) };
}
