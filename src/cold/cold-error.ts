/** Reasons why a cold backend cannot do what it was asked; matched by code, never by message. */
export type ColdErrorCode =
  /** No room on the device, or over a quota. */
  | 'Full'
  /** It cannot be reached, or not now; the same call may work later. */
  | 'Unavailable'
  /** The stored data is not a whole copy. */
  | 'Corrupt'
  /** The body was shorter or longer than announced. */
  | 'BodyMismatch';

export class ColdError extends Error {
  override readonly name = 'ColdError';

  constructor(
    readonly code: ColdErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** An error of the file system as a ColdError; a ColdError or a body's error passes as it is. */
export function asColdError(error: unknown): unknown {
  if (error instanceof ColdError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || typeof syscall !== 'string') return error;
  const kind = FULL.has(code) ? 'Full' : 'Unavailable';
  return new ColdError(kind, `the cold backend failed: ${(error as Error).message}`, {
    cause: error,
  });
}
