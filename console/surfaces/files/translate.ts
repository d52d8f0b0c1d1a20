import { ApiError, type ApiErrorCode } from '../../server/api-error.js';
import { S3StatusError } from '../../s3/errors.js';
import { SwiftStatusError } from '../../swift/errors.js';

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
