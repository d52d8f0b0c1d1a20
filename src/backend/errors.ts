/** Reasons why a backend cannot do what it was asked; matched by code, never by message. */
export type BackendErrorCode =
  | 'NoSuchContainer'
  /** Thrown by copies, whose `NoSuchContainer` means the target. */
  | 'NoSuchSourceContainer'
  | 'NoSuchObject'
  /** The object that a write depends on is not there, or not as it has to be. */
  | 'GuardMissing'
  /** A link leads to nothing. */
  | 'BrokenLink'
  /** The way to the object leads through what the one that stands behind the call may not read. */
  | 'Denied'
  /** The object exists, but its bytes are kept outside the store. */
  | 'BodyAbsent'
  /** A segment is not what a large object is to be made of. */
  | 'SegmentMismatch'
  | 'ContainerNotEmpty'
  /** The body was shorter or longer than announced. */
  | 'BodyMismatch'
  | 'NameTooLong'
  /** No room on the device. */
  | 'StorageFull'
  /** Over what the operator allows the account or the container. */
  | 'QuotaExceeded'
  /** The store cannot be reached, or not now; the same call may work later. */
  | 'Unavailable'
  | 'Timeout'
  /** The stored data cannot be read as what it should be. */
  | 'Corrupt'
  /** This store cannot do it at all; the message says why. */
  | 'Unsupported';

interface BackendErrorOptions extends ErrorOptions {
  readonly retryAfterMs?: number | undefined;
  readonly isOfClient?: boolean | undefined;
}

export class BackendError extends Error {
  override readonly name = 'BackendError';
  /**
   * How long the store asks not to be asked again; `Infinity` where it asks for fewer requests and
   * does not say how long. Undefined: it asks for nothing.
   */
  readonly retryAfterMs: number | undefined;
  /** True for a `BrokenLink` that a client of the store has written: nothing of ours is lost. */
  readonly isOfClient: boolean;

  constructor(
    readonly code: BackendErrorCode,
    message: string,
    options: BackendErrorOptions = {},
  ) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.isOfClient = options.isOfClient === true;
  }
}

/** Whether it is the backend that failed, and so. */
export function isCode(error: unknown, ...codes: readonly BackendErrorCode[]): boolean {
  return error instanceof BackendError && codes.includes(error.code);
}
