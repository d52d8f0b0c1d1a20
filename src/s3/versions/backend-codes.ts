import { BackendError, type BackendErrorCode } from '../../backend/errors.js';

/** Whether it is the backend that failed, and so. */
export function isCode(error: unknown, ...codes: readonly BackendErrorCode[]): boolean {
  return error instanceof BackendError && codes.includes(error.code);
}
