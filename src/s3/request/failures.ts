import { BackendError, type BackendErrorCode } from '../../backend/errors.js';
import { BodyTooLargeError, type HeaderList } from '../../http/exchange.js';
import { LineSampler } from '../../telemetry/line-sampler.js';
import { hostId } from '../../telemetry/request-id.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { errorEntry, resourceDetails, S3Error, type ErrorCode } from '../errors.js';
import type { S3Response, Services } from '../operation.js';
import { regionHeader } from '../rules/region-header.js';
import { renderError } from '../xml/error.js';
import { UNKNOWN_OPERATION } from './request-record.js';

/** The facts that every answer to a request has. */
interface Answering {
  readonly requestId: string;
  readonly services: Pick<Services, 'settings'>;
}

/**
 * The answer to a failed request: SPEC.md 7.1. HEAD gets the status and headers alone, as HTTP
 * demands; its client finds the request id there.
 *
 * @param endpoint undefined when the request line could not be read
 */
export function errorResponse(
  error: S3Error,
  endpoint: Endpoint | undefined,
  method: string,
  { requestId, services }: Answering,
): S3Response {
  const { status, message } = errorEntry(error.code);
  if (method === 'HEAD') {
    // A client that may not see a bucket still learns which region to sign for, as with AWS.
    const tellsRegion = endpoint?.operation === 'HeadBucket' && status === 403;
    return {
      status,
      headers: [...error.headers, ...(tellsRegion ? regionHeader(services.settings.region) : [])],
    };
  }
  const body = renderError({
    code: error.code,
    message: error.message === '' ? message : error.message,
    requestId,
    hostId: hostId(requestId),
    // An error's own details take precedence: they may be about the source of a copy.
    details: { ...resourceDetails(endpoint?.bucket ?? '', endpoint?.key ?? ''), ...error.details },
  });
  return { status, headers: [['Content-Type', 'application/xml'], ...error.headers], body };
}

/** The client's error when the backend fails; the backend's own message goes to the log. */
const s3CodeOf: Readonly<Record<BackendErrorCode, ErrorCode>> = {
  NoSuchContainer: 'NoSuchBucket',
  NoSuchSourceContainer: 'NoSuchBucket',
  NoSuchObject: 'NoSuchKey',
  GuardMissing: 'NoSuchUpload',
  BrokenLink: 'InternalError',
  Denied: 'AccessDenied',
  BodyAbsent: 'InvalidObjectState',
  SegmentMismatch: 'InvalidPart',
  ContainerNotEmpty: 'BucketNotEmpty',
  BodyMismatch: 'IncompleteBody',
  NameTooLong: 'KeyTooLongError',
  StorageFull: 'InsufficientStorage',
  QuotaExceeded: 'EntityTooLarge',
  Unavailable: 'ServiceUnavailable',
  Timeout: 'ServiceUnavailable',
  Corrupt: 'InternalError',
  Unsupported: 'NotImplemented',
};

/** As s3api answers it; S3 has no quotas of its own, and no code for them. */
const OVER_QUOTA = 'Your proposed upload exceeds the quota of the account or of the bucket';

/** The S3 error for a backend's, with the backend's as its cause, and with its `Retry-After`. */
export function toS3Error(error: BackendError): S3Error {
  const { code, retryAfterMs = Infinity } = error;
  const headers = Number.isFinite(retryAfterMs) ? [retryAfter(retryAfterMs)] : [];
  const message = code === 'QuotaExceeded' ? OVER_QUOTA : undefined;
  // A link of ours that is broken is a loss; one of a client of the store is as good as nothing.
  const s3Code = code === 'BrokenLink' && error.isOfClient ? 'NoSuchKey' : s3CodeOf[code];
  return new S3Error(s3Code, message, {}, { cause: error, headers });
}

function retryAfter(ms: number): readonly [string, string] {
  return ['Retry-After', String(Math.ceil(ms / 1000))];
}

/** The answer to a thrown value; an unexpected one is an `InternalError`, with its cause. */
export function asS3Error(thrown: unknown): S3Error {
  if (thrown instanceof S3Error) return thrown;
  if (thrown instanceof BackendError) return toS3Error(thrown);
  if (thrown instanceof BodyTooLargeError) return new S3Error('MaxMessageLengthExceeded');
  return new S3Error('InternalError', undefined, {}, { cause: thrown });
}

/** Errors that only metrics count: a log line for each would add load under load. */
const NO_FAULTS: ReadonlySet<string> = new Set(['NotImplemented', 'SlowDown']);

/** Whether operators have to know of it. */
function isServerFault({ code }: S3Error): boolean {
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

/**
 * A log that writes a line now and then for a full store: every write of every client fails there.
 */
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
interface FailedRequest {
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

/** The headers that every response carries. */
export function commonHeaders(requestId: string): HeaderList {
  return [
    ['x-amz-request-id', requestId],
    ['x-amz-id-2', hostId(requestId)],
    ['Server', 'Ringway'],
  ];
}
