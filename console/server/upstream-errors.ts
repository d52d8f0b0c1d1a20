import {
  CredentialsRefusedError,
  HeaderTextError,
  SwiftStatusError,
  UpstreamError,
} from '../swift/errors.js';
import { ApiError, type ApiErrorCode } from './api-error.js';

/** What a status of the store means where nothing more special is known. */
const BY_STATUS: ReadonlyMap<number, readonly [ApiErrorCode, string]> = new Map([
  [400, ['invalid_argument', 'The store refuses the request as malformed.']],
  [401, ['unauthenticated', 'The session with the store has ended.']],
  [403, ['acl', 'The store does not allow this to you.']],
  [404, ['not_found', 'There is no such thing.']],
  [405, ['unsupported_here', 'The store does not know this operation.']],
  [409, ['conflict', 'Something changed at the same time, or is in the way.']],
  [411, ['invalid_argument', 'The store needs the length of the body.']],
  [412, ['precondition_failed', 'The object is not the expected one any more.']],
  [413, ['quota_exceeded', 'The store takes no more: a quota or its largest size.']],
  [416, ['range_not_satisfiable', 'The object has no such range.']],
  [422, ['etag_mismatch', 'What the store received is not what was sent.']],
  [429, ['rate_limited', 'The store asks to go slower.']],
  [498, ['rate_limited', 'The store asks to go slower.']],
  [499, ['upstream_error', 'The upload was cut.']],
  [501, ['unsupported_here', 'The store cannot do this.']],
  [503, ['upstream_unavailable', 'The store is not available.']],
  [504, ['upstream_timeout', 'The store did not answer in time.']],
  [507, ['no_space', 'The store is full.']],
]);

const BY_KIND = {
  unavailable: ['upstream_unavailable', 'The store does not answer.'],
  timeout: ['upstream_timeout', 'The store did not answer in time.'],
  invalid: ['upstream_error', 'The store gave an answer that makes no sense.'],
} as const satisfies Readonly<Record<UpstreamError['kind'], readonly [ApiErrorCode, string]>>;

/** @returns undefined for errors of other kinds */
export function fromUpstream(error: unknown): ApiError | undefined {
  if (error instanceof UpstreamError) {
    const [code, message] = BY_KIND[error.kind];
    return new ApiError(code, message);
  }
  if (error instanceof CredentialsRefusedError) {
    return new ApiError('unauthenticated', 'The store does not accept this session any more.');
  }
  if (error instanceof HeaderTextError) {
    return new ApiError('invalid_argument', 'The text has control characters in it.');
  }
  if (!(error instanceof SwiftStatusError)) return undefined;
  const known = BY_STATUS.get(error.status);
  return known === undefined
    ? new ApiError('upstream_error', 'The store failed.')
    : new ApiError(...known);
}
