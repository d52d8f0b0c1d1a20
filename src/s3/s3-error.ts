import type { ErrorCode } from './errors.js';

/** Extra children of `<Error>`, in order, e.g. `{ Key: 'a/b', BucketName: 'b' }`. */
export type ErrorDetails = Readonly<Record<string, string>>;

/**
 * An answer of the protocol that is not a success: a code of the table in errors.ts, which gives
 * status and default message, and what the particular case adds.
 */
export class S3Error extends Error {
  override readonly name = 'S3Error';

  constructor(
    readonly code: ErrorCode,
    /** Replaces the table's message. */
    message?: string,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message ?? '', options);
  }
}
