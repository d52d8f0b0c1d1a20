import { BackendError } from '../../errors.js';
import type { AttemptErrorName } from './hooks.js';

/** How far an attempt came before it failed. */
export type AttemptStage =
  /** No byte of the request was sent. */
  | 'unsent'
  /** The head was sent, and no byte of the body asked for: Swift cannot have done it. */
  | 'body_unsent'
  /** Sent, and no answer: it is not known what became of it. */
  | 'unanswered'
  /** Not the network's fault: the body's source threw, or it was aborted. Final. */
  | 'given_up';

/** One attempt failed; what is thrown to the caller is made of the last one. */
export class AttemptError extends Error {
  override readonly name = 'AttemptError';

  constructor(
    readonly stage: AttemptStage,
    readonly kind: AttemptErrorName,
    endpoint: string,
    override readonly cause: unknown,
  ) {
    super(`${endpoint}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }

  /** What the caller of the transport is told. */
  toThrow(): unknown {
    if (this.stage === 'given_up') return this.cause;
    const code = this.kind === 'timeout' ? 'Timeout' : 'Unavailable';
    return new BackendError(code, `Swift did not answer: ${this.message}`, { cause: this.cause });
  }
}

/** Ours; undici has its own, which carry codes. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'RINGWAY_TIMEOUT';
}

/** Of undici's errors and of Node's: both carry codes. */
export function isTimeout(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (code.endsWith('_TIMEOUT') || code === 'ETIMEDOUT');
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A header or a path that HTTP has no way to carry: no other attempt would do better. */
export function unspeakable(endpoint: string, error: unknown): AttemptError {
  const reason = error instanceof Error ? error.message : String(error);
  const cause = new BackendError('Unsupported', `HTTP cannot carry it: ${reason}`);
  return new AttemptError('given_up', 'body', endpoint, cause);
}

/** The body of an answer broke off. */
export function cutError(endpoint: string, cause: unknown): BackendError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const code = isTimeout(cause) ? 'Timeout' : 'Unavailable';
  return new BackendError(code, `Swift's answer broke off: ${endpoint}: ${reason}`, { cause });
}
