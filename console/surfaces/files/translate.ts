import { ApiError, type ApiErrorCode } from '../../server/api-error.js';
import { S3StatusError } from '../../s3/errors.js';
import { SwiftStatusError } from '../../swift/errors.js';

/** The store, or the filter of a cluster, lets the gateway alone write to buckets with Object Lock. */
const LOCKED =
  'The store does not allow you to change this bucket. If it has Object Lock, only the S3 gateway can change it.';

/** Throws an error of the store; a 403 is about a change that it refuses to the owner. */
export function refused(error: unknown): never {
  throw translate(error, 403, 'acl', LOCKED);
}

/** Gives a status of the store the name that it has here. */
export function translate(
  error: unknown,
  status: number,
  code: ApiErrorCode,
  message: string,
): unknown {
  const isOfStore = error instanceof SwiftStatusError || error instanceof S3StatusError;
  return isOfStore && error.status === status ? new ApiError(code, message) : error;
}

/** Throws an error of the store; a 404 is about the container. */
export function noSuchContainer(error: unknown): never {
  throw translate(error, 404, 'no_such_container', 'The bucket does not exist.');
}

/** Throws an error of the store; a 404 is about the object. */
export function noSuchObject(error: unknown): never {
  throw translate(error, 404, 'no_such_object', 'The object does not exist.');
}

/** Throws an error of the store; a 404 is about the version. */
export function noSuchVersion(error: unknown): never {
  throw translate(error, 404, 'no_such_object', 'The version does not exist.');
}

/** Takes what Swift does not have for undefined. @throws any error but a 404 */
export function orMissing(error: unknown): undefined {
  if (!(error instanceof SwiftStatusError && error.status === 404)) throw error;
}
