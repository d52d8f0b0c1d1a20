import type { ByteRange } from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import { invalidArgument, isDecimal } from './query-parameters.js';

/**
 * `x-amz-copy-source-range` of UploadPartCopy. Unlike a Range header it is never ignored, never
 * open at an end and never cut to the object's size: a part with other bytes than asked for would
 * make a false object.
 */

const HEADER = 'x-amz-copy-source-range';
const UNIT = 'bytes=';

/**
 * @returns undefined without the header: the whole object
 * @throws S3Error `InvalidArgument` unless it is `bytes=first-last`
 */
export function parseCopyRange(value: string | undefined): ByteRange | undefined {
  if (value === undefined) return undefined;
  if (value.startsWith(UNIT)) {
    const [first, last, ...rest] = value.slice(UNIT.length).split('-');
    if (first !== undefined && last !== undefined && rest.length === 0) {
      const range = parseOffsets(first, last);
      if (range !== undefined) return range;
    }
  }
  throw invalidArgument(
    HEADER,
    value,
    `The ${HEADER} value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy`,
  );
}

/**
 * @param size bytes of the source object
 * @throws S3Error `InvalidRequest` for a range that begins behind it, `InvalidArgument` for one
 *   that only ends behind it: AWS's two answers
 */
export function requireRangeWithin(range: ByteRange, size: number): void {
  if (range.start >= size) {
    throw new S3Error(
      'InvalidRequest',
      'The specified copy range is invalid for the source object size',
    );
  }
  if (range.end < size) return;
  throw invalidArgument(
    HEADER,
    `${UNIT}${range.start}-${range.end}`,
    `Range specified is not valid for source object of size: ${size}`,
  );
}

/** Offsets beyond 2^53 are rounded; no object reaches that far. */
function parseOffsets(first: string, last: string): ByteRange | undefined {
  if (!isDecimal(first) || !isDecimal(last)) return undefined;
  const start = Number(first);
  const end = Number(last);
  return start <= end ? { start, end } : undefined;
}
