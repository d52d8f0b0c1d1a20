import {
  CredentialsRefusedError,
  HeaderTextError,
  SwiftStatusError,
  UpstreamError,
} from '../swift/errors.js';
import { S3StatusError } from '../s3/errors.js';
import { ApiError, type ApiErrorCode } from './api-error.js';

/** What a status of the store means where nothing more special is known. */
const BY_STATUS: ReadonlyMap<number, readonly [ApiErrorCode, string]> = new Map([
  [400, ['invalid_argument', 'The store refuses the request as malformed.']],
  [401, ['unauthenticated', 'The session with the store has ended.']],
  [403, ['acl', 'The store does not allow you to do this.']],
  [404, ['not_found', 'Not found.']],
  [405, ['unsupported_here', 'The store does not know this operation.']],
  [409, ['conflict', 'Something changed at the same time, or is in the way.']],
  [411, ['invalid_argument', 'The store needs the length of the body.']],
  [412, ['precondition_failed', 'The object has changed in the meantime.']],
  [413, ['quota_exceeded', 'A quota or the size limit of the store is exceeded.']],
  [416, ['range_not_satisfiable', 'The object has no such range.']],
  [422, ['etag_mismatch', 'The data was damaged on the way to the store.']],
  [429, ['rate_limited', 'The store is busy. Try again in a moment.']],
  [498, ['rate_limited', 'The store is busy. Try again in a moment.']],
  [499, ['upstream_error', 'The upload was cut.']],
  [501, ['unsupported_here', 'The store cannot do this.']],
  [503, ['upstream_unavailable', 'The store is not available.']],
  [504, ['upstream_timeout', 'The store did not answer in time.']],
  [507, ['no_space', 'The store is full.']],
]);

const BY_KIND = {
  unavailable: ['upstream_unavailable', 'The store does not answer.'],
  timeout: ['upstream_timeout', 'The store did not answer in time.'],
  invalid: ['upstream_error', 'The store sent an invalid answer.'],
} as const satisfies Readonly<Record<UpstreamError['kind'], readonly [ApiErrorCode, string]>>;

/** What S3's codes mean; others go by their status. */
const BY_S3_CODE: ReadonlyMap<string, readonly [ApiErrorCode, string]> = new Map([
  ['NoSuchBucket', ['no_such_container', 'The container does not exist.']],
  ['NoSuchKey', ['no_such_object', 'The object does not exist.']],
  ['NoSuchVersion', ['no_such_object', 'The version does not exist.']],
  ['BucketNotEmpty', ['container_not_empty', 'The container is not empty.']],
  ['EntityTooLarge', ['too_large', 'S3 takes no object of this size in one request.']],
  [
    'InvalidObjectState',
    ['conflict', 'The object is in cold storage: restore it from there first.'],
  ],
  ['InvalidAccessKeyId', ['acl', 'S3 does not know the key that you logged in with.']],
  [
    'SignatureDoesNotMatch',
    ['acl', 'S3 refused the signature of the key that you logged in with.'],
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
    return new ApiError('unauthenticated', 'The store no longer accepts this session.');
  }
  if (error instanceof HeaderTextError) {
    return new ApiError('invalid_argument', 'The text has control characters in it.');
  }
  const isS3 = error instanceof S3StatusError;
  if (!isS3 && !(error instanceof SwiftStatusError)) return undefined;
  const known = (isS3 ? BY_S3_CODE.get(error.code) : undefined) ?? BY_STATUS.get(error.status);
  return known === undefined
    ? new ApiError('upstream_error', 'The store failed.')
    : new ApiError(...known);
}
