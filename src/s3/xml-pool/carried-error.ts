import { BackendError, type BackendErrorCode } from '../../backend/errors.js';
import type { ErrorCode } from '../errors.js';
import { S3Error, type ErrorDetails } from '../errors.js';

/** An error without its class, which would not survive the way between a thread and the loop. */
export type CarriedError =
  | {
      readonly kind: 's3';
      readonly code: ErrorCode;
      /** Empty for the code's own. */
      readonly message: string;
      readonly details: ErrorDetails;
      /** For the log, when something failed in a way that it should not. */
      readonly cause?: string | undefined;
    }
  | { readonly kind: 'backend'; readonly code: BackendErrorCode; readonly message: string };

export function carryError(error: unknown): CarriedError {
  if (error instanceof S3Error) {
    const { code, message, details } = error;
    return { kind: 's3', code, message, details };
  }
  if (error instanceof BackendError) {
    const { code, message } = error;
    return { kind: 'backend', code, message };
  }
  return {
    kind: 's3',
    code: 'InternalError',
    message: '',
    details: {},
    cause: String(error),
  };
}

export function carriedError(carried: CarriedError): S3Error | BackendError {
  if (carried.kind === 'backend') return new BackendError(carried.code, carried.message);
  const { code, message, details, cause } = carried;
  return new S3Error(code, message, details, { cause });
}
