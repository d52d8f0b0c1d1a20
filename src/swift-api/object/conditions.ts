import type { ByteRange, RangeSpec } from '../../backend/backend.js';
import { resolveRange } from '../../backend/ranges.js';
import type { HeaderMap } from '../../http/exchange.js';

/** Conditional reads, as Swift's swob decides them: ETags first, then times. */

type ConditionOutcome = 'met' | 'not modified' | 'failed';

/**
 * @param etag - unquoted
 * @param modifiedMs - milliseconds since the epoch, as Last-Modified says it: a whole second
 */
export function checkConditions(
  headers: HeaderMap,
  etag: string,
  modifiedMs: number,
): ConditionOutcome {
  const noneMatch = headers.get('if-none-match');
  if (noneMatch !== undefined && names(noneMatch, etag)) return 'not modified';
  const match = headers.get('if-match');
  if (match !== undefined && !names(match, etag)) return 'failed';
  const modifiedSince = timeOf(headers.get('if-modified-since'));
  if (modifiedSince !== undefined && modifiedMs <= modifiedSince) return 'not modified';
  const unmodifiedSince = timeOf(headers.get('if-unmodified-since'));
  if (unmodifiedSince !== undefined && modifiedMs > unmodifiedSince) return 'failed';
  return 'met';
}

function names(list: string, etag: string): boolean {
  return list.split(',').some((one) => {
    const given = unquoted(one.trim());
    return given === '*' || given === etag;
  });
}

/** An ETag without quotes, and without the mark of a weak one. */
export function unquoted(etag: string): string {
  const bare = etag.startsWith('W/') ? etag.slice(2) : etag;
  return bare.length > 1 && bare.startsWith('"') && bare.endsWith('"') ? bare.slice(1, -1) : bare;
}

/** A time that cannot be read is no condition. */
function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** More than so many is no honest request, and each costs a read (Swift's swob: MAX_RANGES). */
const RANGES_MAX = 50;
const ONE = /^(\d{0,18})-(\d{0,18})$/;

/** The ranges that a Range header asks for; undefined where it cannot be understood. */
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

/** The ranges that lie inside an object of `size` bytes; if there are none, the answer is 416. */
export function resolveRanges(specs: readonly RangeSpec[], size: number): ByteRange[] {
  return specs.flatMap((spec) => {
    const range = resolveRange(spec, size);
    return range === 'unsatisfiable' ? [] : range;
  });
}
