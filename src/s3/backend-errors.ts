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

/** The S3 error for a backend's, with the backend's as its cause. */
export function toS3Error(error: BackendError): S3Error {
  return new S3Error(s3CodeOf[error.code], undefined, {}, { cause: error });
}
