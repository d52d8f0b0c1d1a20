import type { HeaderList } from '../http/exchange.js';
import type { ErrorCode } from './errors.js';

/** Extra children of `<Error>`, in order, e.g. `{ Key: 'a/b', BucketName: 'b' }`. */
export type ErrorDetails = Readonly<Record<string, string>>;

/** `Key` where there is one (SPEC.md 7.1), and the bucket it was looked for in. */
export function resourceDetails(bucket: string, key: string): ErrorDetails {
  if (bucket === '') return {};
  return key === '' ? { BucketName: bucket } : { BucketName: bucket, Key: key };
}

export interface S3ErrorOptions extends ErrorOptions {
  /** Sent with the answer: `Allow` with a 405, `Content-Range` with a 416. */
  readonly headers?: HeaderList | undefined;
}

/**
 * An answer of the protocol that is not a success: a code of the table in errors.ts, which gives
 * status and default message, and what the particular case adds.
 */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly headers: HeaderList;

  constructor(
    readonly code: ErrorCode,
    /** Replaces the table's message. */
    message?: string,
    readonly details: ErrorDetails = {},
    options: S3ErrorOptions = {},
  ) {
    super(message ?? '', options);
    this.headers = options.headers ?? [];
  }
}
