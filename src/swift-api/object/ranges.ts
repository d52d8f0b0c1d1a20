import type { ByteRange, RangeSpec } from '../../backend/backend.js';
import { resolveRange } from '../../backend/ranges.js';

/** More than so many is no honest request, and each costs a read (Swift's swob: MAX_RANGES). */
const RANGES_MAX = 50;
const ONE = /^(\d{0,18})-(\d{0,18})$/;

/** What a Range header asks for; undefined where it says nothing that can be understood. */
export function parseRanges(header: string | undefined): readonly RangeSpec[] | undefined {
  const list = /^bytes=(.+)$/i.exec(header ?? '')?.[1];
  if (list === undefined) return undefined;
  const specs: RangeSpec[] = [];
  for (const part of list.split(',')) {
    const [, first = '', last = ''] = ONE.exec(part.trim()) ?? [];
    if (first === '' && last === '') return undefined;
    if (first === '') specs.push({ suffix: Number(last) });
    else if (last === '') specs.push({ first: Number(first) });
    else if (Number(last) < Number(first)) return undefined;
    else specs.push({ first: Number(first), last: Number(last) });
  }
  return specs.length > RANGES_MAX ? undefined : specs;
}

/** Those that lie inside an object of `size` bytes; none: the answer is 416. */
export function resolveRanges(specs: readonly RangeSpec[], size: number): ByteRange[] {
  return specs.flatMap((spec) => {
    const range = resolveRange(spec, size);
    return range === 'unsatisfiable' ? [] : range;
  });
}
