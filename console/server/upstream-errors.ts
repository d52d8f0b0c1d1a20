import {
  CredentialsRefusedError,
  HeaderTextError,
  SwiftStatusError,
  UpstreamError,
} from '../swift/errors.js';
import { S3StatusError } from '../s3/errors.js';
import { ApiError, type ApiErrorCode } from './api-error.js';

/** The meaning of a status of the store where nothing more special is known. */
const BY_STATUS: ReadonlyMap<number, readonly [ApiErrorCode, string]> = new Map([
  [400, ['invalid_argument', 'The store rejected the request as malformed.']],
  [401, ['unauthenticated', 'Your session with the store has expired. Log in again.']],
  [403, ['acl', 'The store denied access.']],
  [404, ['not_found', 'Not found.']],
  [405, ['unsupported_here', 'The store does not allow this operation here.']],
  [
    409,
    [
      'conflict',
      'The request conflicts with another change or an existing item. Refresh and try again.',
    ],
  ],
  [411, ['invalid_argument', 'The store requires a Content-Length header.']],
  [412, ['precondition_failed', 'The object has changed. Refresh and try again.']],
  [413, ['quota_exceeded', "The request exceeds a quota or the store's size limit."]],
  [416, ['range_not_satisfiable', 'The requested range is outside the object.']],
  [
    422,
    [
      'etag_mismatch',
      'The data was corrupted on its way to the store (checksum mismatch). Try again.',
    ],
  ],
  [429, ['rate_limited', 'The store is busy. Try again in a moment.']],
  [498, ['rate_limited', 'The store is busy. Try again in a moment.']],
  [499, ['upstream_error', 'The upload was interrupted. Try again.']],
  [501, ['unsupported_here', 'The store does not support this operation.']],
  [503, ['upstream_unavailable', 'The store is unavailable. Try again later.']],
  [504, ['upstream_timeout', 'The request to the store timed out. Try again later.']],
  [507, ['no_space', 'The store is out of space.']],
]);

const BY_KIND = {
  unavailable: ['upstream_unavailable', 'The store is not responding.'],
  timeout: ['upstream_timeout', 'The request to the store timed out. Try again later.'],
  invalid: ['upstream_error', 'The store returned an invalid response.'],
} as const satisfies Readonly<Record<UpstreamError['kind'], readonly [ApiErrorCode, string]>>;

/** The meaning of S3's codes; other errors go by their status. */
const BY_S3_CODE: ReadonlyMap<string, readonly [ApiErrorCode, string]> = new Map([
  ['NoSuchBucket', ['no_such_container', 'The bucket does not exist.']],
  ['NoSuchKey', ['no_such_object', 'The object does not exist.']],
  ['NoSuchVersion', ['no_such_object', 'The version does not exist.']],
  ['BucketNotEmpty', ['container_not_empty', 'The container is not empty.']],
  ['EntityTooLarge', ['too_large', 'The object is too large for a single S3 request.']],
  ['InvalidObjectState', ['conflict', 'The object is in cold storage. Restore it first.']],
  ['InvalidAccessKeyId', ['acl', 'S3 rejected the access key that you logged in with.']],
  [
    'SignatureDoesNotMatch',
    ['acl', 'S3 rejected the signature of the access key that you logged in with.'],
  ],
  ['SlowDown', ['upstream_unavailable', 'S3 is busy. Try again in a moment.']],
]);

/** @returns undefined for errors of other kinds */
export function fromUpstream(error: unknown): ApiError | undefined {
  if (error instanceof UpstreamError) {
    const [code, message] = BY_KIND[error.kind];
    return new ApiError(code, message);
  }
  if (error instanceof CredentialsRefusedError) {
    return new ApiError(
      'unauthenticated',
      'The store no longer accepts this session. Log in again.',
    );
  }
  if (error instanceof HeaderTextError) {
    return new ApiError(
      'invalid_argument',
      'The text contains control characters. Remove them and try again.',
    );
  }
  const isS3 = error instanceof S3StatusError;
  if (!isS3 && !(error instanceof SwiftStatusError)) return undefined;
  const known = (isS3 ? BY_S3_CODE.get(error.code) : undefined) ?? BY_STATUS.get(error.status);
  return known === undefined
    ? new ApiError('upstream_error', 'The store returned an error.')
    : new ApiError(...known);
}
