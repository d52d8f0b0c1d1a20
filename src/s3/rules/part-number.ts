import type { Query } from '../request/query.js';
import { S3Error } from '../errors.js';
import { PART_NUMBER_MAX } from './protocol-limits.js';
import { invalidArgument, isDecimal } from './query-parameters.js';

export const PART_NUMBER_MIN = 1;

/**
 * The part that UploadPart and UploadPartCopy write.
 * @throws S3Error `InvalidArgument` unless `partNumber` is an integer between 1 and 10,000
 */
export function parsePartNumber(query: Query): number {
  const value = query.get('partNumber') ?? '';
  const partNumber = isDecimal(value) ? Number(value) : 0;
  if (isPartNumber(partNumber)) return partNumber;
  throw invalidArgument(
    'partNumber',
    value,
    `Part number must be an integer between ${PART_NUMBER_MIN} and ${PART_NUMBER_MAX}, inclusive`,
  );
}

/** The answer to a part that a finished object does not have. */
export function invalidPartNumber(partNumber: number, count: number): S3Error {
  return new S3Error('InvalidPartNumber', undefined, {
    PartNumberRequested: String(partNumber),
    ActualPartCount: String(count),
  });
}

export function isPartNumber(partNumber: number): boolean {
  return partNumber >= PART_NUMBER_MIN && partNumber <= PART_NUMBER_MAX;
}
