import type { ByteRange, RangeSpec } from '../../backend/backend.js';
import { S3Error } from '../errors.js';

const UNIT = 'bytes=';
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/**
 * Reads a Range header: `bytes=first-last`, `bytes=first-`, `bytes=-suffix`.
 *
 * A malformed value, another unit, `last` before `first` and several ranges are ignored, and the
 * whole object is sent, as AWS does and RFC 9110 section 14.2 allows. Whether a range lies within
 * the object is for the backend to say, which knows its size.
 *
 * @returns undefined for the whole object
 */
export function parseRange(value: string | undefined): RangeSpec | undefined {
  if (value?.startsWith(UNIT) !== true) return undefined;
  const dash = value.indexOf('-', UNIT.length);
  if (dash === -1) return undefined;
  const first = parseOffset(value, UNIT.length, dash);
  const last = parseOffset(value, dash + 1, value.length);
  if (first === 'malformed' || last === 'malformed') return undefined;
  if (first === undefined) return last === undefined ? undefined : { suffix: last };
  if (last === undefined) return { first };
  return last < first ? undefined : { first, last };
}

/** The Content-Range of a 206. */
export function contentRange(range: ByteRange, size: number): string {
  return `bytes ${range.start}-${range.end}/${size}`;
}

/** The answer to a range that lies outside an object of `size` bytes. */
export function invalidRange(requested: string, size: number): S3Error {
  return new S3Error(
    'InvalidRange',
    undefined,
    { RangeRequested: requested, ActualObjectSize: String(size) },
    { headers: [['Content-Range', `bytes */${size}`]] },
  );
}

/** Undefined when nothing stands there. Beyond 2^53 every offset is past the end: clamped. */
function parseOffset(text: string, start: number, end: number): number | undefined | 'malformed' {
  if (start === end) return undefined;
  let value = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code < DIGIT_0 || code > DIGIT_9) return 'malformed';
    value = value * 10 + (code - DIGIT_0);
  }
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}
