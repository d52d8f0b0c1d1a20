import { BackendError, type BackendErrorCode } from '../backend/errors.js';
import { BodyTooLargeError } from '../http/exchange.js';
import { HTML, pageOf, type Reply } from './reply.js';

/** The refusal of a request: status, words and headers as Swift has them. */
export class SwiftError extends Error {
  override readonly name = 'SwiftError';

  /**
   * @param body - without it the page that Swift sends with this status
   * @param contentType - of the body
   */
  constructor(
    readonly status: number,
    readonly body: string = pageOf(status),
    readonly contentType: string = HTML,
    readonly headers: readonly (readonly [string, string])[] = [],
    options?: ErrorOptions,
  ) {
    super(`${status} ${body}`, options);
  }

  reply(): Reply {
    const headers = [['Content-Type', this.contentType] as const, ...this.headers];
    return { status: this.status, headers, body: this.body };
  }
}

/** Swift's statuses for the store's errors. */
const STATUS_OF: Readonly<Record<BackendErrorCode, number>> = {
  NoSuchContainer: 404,
  NoSuchSourceContainer: 404,
  NoSuchObject: 404,
  BrokenLink: 404,
  Denied: 403,
  GuardMissing: 412,
  BodyAbsent: 409,
  SegmentMismatch: 409,
  ContainerNotEmpty: 409,
  BodyMismatch: 499,
  NameTooLong: 400,
  StorageFull: 507,
  QuotaExceeded: 413,
  Unavailable: 503,
  Timeout: 503,
  Corrupt: 503,
  Unsupported: 501,
};

/** Swift's own for a client that sent less than it said; Node knows no words for it. */
const CLIENT_DISCONNECT = 499;

/** @returns undefined for an unexpected error */
export function swiftErrorOf(error: unknown): SwiftError | undefined {
  if (error instanceof SwiftError) return error;
  if (error instanceof BodyTooLargeError) return new SwiftError(413);
  if (!(error instanceof BackendError)) return undefined;
  const status = STATUS_OF[error.code];
  if (status === CLIENT_DISCONNECT)
    return new SwiftError(400, error.message, HTML, [], { cause: error });
  if (status === 501) return new SwiftError(501, `${error.message}\n`, 'text/plain');
  return new SwiftError(status, pageOf(status), HTML, [], { cause: error });
}
