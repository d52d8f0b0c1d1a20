import { BackendError } from '../backend/errors.js';
import { BodyTooLargeError } from '../http/exchange.js';
import { toS3Error } from './backend-errors.js';
import { errorEntry } from './errors.js';
import { LineSampler } from '../telemetry/line-sampler.js';
import { UNKNOWN_OPERATION } from './request-record.js';
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

export interface FailureLog {
  error(fields: FailureFields, message: string): void;
}

/** Fields of a line; it may have others. */
export interface FailureFields {
  readonly error_code?: string | undefined;
  readonly [name: string]: unknown;
}

/** Of a store that is full, a line now and then is enough: every write of every client fails. */
export class SampledFailureLog implements FailureLog {
  readonly #full: LineSampler;

  constructor(
    private readonly log: FailureLog,
    now?: () => number,
  ) {
    this.#full = new LineSampler(now);
  }

  error(fields: FailureFields, message: string): void {
    if (fields.error_code !== 'InsufficientStorage') {
      this.log.error(fields, message);
      return;
    }
    const leftOut = this.#full.take();
    if (leftOut !== undefined) this.log.error({ ...fields, left_out: leftOut }, message);
  }
}

/** The request that failed. */
export interface FailedRequest {
  readonly requestId: string;
  /** Undefined until the request line is understood. */
  readonly operation: string | undefined;
  /** The client's address, which is looked up when a line is written. */
  readonly remote: () => string;
}

/** One line for those that are the service's fault. */
export function logFailures(
  log: FailureLog,
  failures: readonly S3Error[],
  message: string,
  { requestId, operation = UNKNOWN_OPERATION, remote }: FailedRequest,
): void {
  const ours = failures.filter(isServerFault);
  const [error] = ours;
  if (error === undefined) return;
  log.error(
    {
      request_id: requestId,
      remote: remote(),
      operation,
      error_code: error.code,
      err: error.cause ?? error,
      ...(ours.length > 1 ? { failures: ours.length } : {}),
    },
    message,
  );
}
