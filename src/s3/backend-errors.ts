import type { BackendError, BackendErrorCode } from '../backend/errors.js';
import type { ErrorCode } from './errors.js';
import { S3Error } from './s3-error.js';

/** What the client is told when the backend fails; the backend's own message goes to the log. */
const s3CodeOf: Readonly<Record<BackendErrorCode, ErrorCode>> = {
  NoSuchContainer: 'NoSuchBucket',
  NoSuchSourceContainer: 'NoSuchBucket',
  NoSuchObject: 'NoSuchKey',
  GuardMissing: 'NoSuchUpload',
  BrokenLink: 'InternalError',
  BodyAbsent: 'InvalidObjectState',
  SegmentMismatch: 'InvalidPart',
  ContainerNotEmpty: 'BucketNotEmpty',
  BodyMismatch: 'IncompleteBody',
  NameTooLong: 'KeyTooLongError',
  StorageFull: 'InsufficientStorage',
  Unavailable: 'ServiceUnavailable',
  Timeout: 'ServiceUnavailable',
  Corrupt: 'InternalError',
  Unsupported: 'NotImplemented',
};

/** The S3 error for a backend's, with the backend's as its cause, and with its `Retry-After`. */
export function toS3Error(error: BackendError): S3Error {
  const { code, retryAfterMs = Infinity } = error;
  const headers = Number.isFinite(retryAfterMs) ? [retryAfter(retryAfterMs)] : [];
  return new S3Error(s3CodeOf[code], undefined, {}, { cause: error, headers });
}

function retryAfter(ms: number): readonly [string, string] {
  return ['Retry-After', String(Math.ceil(ms / 1000))];
}
