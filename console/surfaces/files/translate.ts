import { ApiError, type ApiErrorCode } from '../../server/api-error.js';
import { S3StatusError } from '../../s3/errors.js';
import { SwiftStatusError } from '../../swift/errors.js';

/** The store, or the filter of a cluster, lets the gateway alone write to buckets with Object Lock. */
const LOCKED =
  'The store does not allow you to change this bucket. If it has Object Lock, only the S3 gateway can change it.';

/** The error for a change of a container that the store refuses to its owner. */
export function translateRefusal(error: unknown): unknown {
  return translate(error, 403, 'acl', LOCKED);
}

/** Gives a status of the store the name that it has here. */
export function translate(
  error: unknown,
  status: number,
  code: ApiErrorCode,
  message: string,
): unknown {
  const isIt =
    (error instanceof SwiftStatusError || error instanceof S3StatusError) &&
    error.status === status;
  return isIt ? new ApiError(code, message) : error;
}
