import { BackendError } from '../backend/errors.js';
import { BodyTooLargeError } from '../http/exchange.js';
import { toS3Error } from './backend-errors.js';
import { errorEntry } from './errors.js';
import { S3Error } from './s3-error.js';

/** The answer to whatever was thrown; what nobody foresaw is an `InternalError`, with its cause. */
export function asS3Error(thrown: unknown): S3Error {
  if (thrown instanceof S3Error) return thrown;
  if (thrown instanceof BackendError) return toS3Error(thrown);
  if (thrown instanceof BodyTooLargeError) return new S3Error('MaxMessageLengthExceeded');
  return new S3Error('InternalError', undefined, {}, { cause: thrown });
}

/** Of these, metrics tell; a line for each under load would be one more load. */
const NO_FAULTS: ReadonlySet<string> = new Set(['NotImplemented', 'SlowDown']);

/** Whether operators have to know of it. */
export function isServerFault({ code }: S3Error): boolean {
  return errorEntry(code).status >= 500 && !NO_FAULTS.has(code);
}
