import { S3StatusError } from '../../../s3/errors.js';
import { ApiError } from '../../../server/api-error.js';

/** S3's errors for a document that it refuses are about the input of the user. */
const ABOUT_THE_INPUT: ReadonlySet<string> = new Set([
  'InvalidArgument',
  'InvalidRequest',
  'InvalidTag',
  'MalformedXML',
  'InvalidBucketState',
  'InvalidRetentionPeriod',
]);

/** Takes a document that a bucket does not have for undefined. @throws any other error */
export function orNone(error: unknown): undefined {
  const isMissing = error instanceof S3StatusError && error.status === 404;
  if (!isMissing || error.code === 'NoSuchBucket') throw error;
}

/** Tells in S3's own words why it refuses what was entered; other errors stay what they are. */
export function s3Failure(error: unknown): never {
  if (error instanceof S3StatusError && ABOUT_THE_INPUT.has(error.code)) {
    const code = error.status === 409 ? 'conflict' : 'invalid_argument';
    throw new ApiError(code, `S3 rejected the request: ${error.detail || error.code}`);
  }
  throw error;
}
