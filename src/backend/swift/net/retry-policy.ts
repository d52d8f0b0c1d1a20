import { BackendError } from '../../errors.js';
import type { Answer } from './answer.js';
import type { AttemptErrorName, RetryReason } from './options.js';
import type { Upload } from './upload.js';

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
    super(`${endpoint}: ${reasonOf(cause)}`, { cause });
  }

  /** The error that the caller of the transport gets. */
  toThrow(): unknown {
    if (this.stage === 'given_up') return this.cause;
    const isLate = this.kind === 'timeout' || this.kind === 'hung';
    const code = isLate ? 'Timeout' : 'Unavailable';
    return new BackendError(code, `Swift did not answer: ${this.message}`, { cause: this.cause });
  }
}

function reasonOf(cause: unknown): string {
  // A server with several addresses fails at each of them, of which Node makes an error that says
  // nothing itself.
  if (cause instanceof AggregateError && cause.message === '') {
    return cause.errors.map(reasonOf).join('; ');
  }
  return cause instanceof Error ? cause.message : String(cause);
}

/** Whether an error of the HTTP client or of Node is a time-out: both carry codes. */
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
  const cause = new BackendError('Unsupported', `HTTP cannot carry it: ${reasonOf(error)}`);
  return new AttemptError('given_up', 'body', endpoint, cause);
}

/** The body of an answer broke off. */
export function cutError(endpoint: string, cause: unknown): BackendError {
  const code = isTimeout(cause) ? 'Timeout' : 'Unavailable';
  const detail = `Swift's answer broke off: ${endpoint}: ${reasonOf(cause)}`;
  return new BackendError(code, detail, { cause });
}

/**
 * When a request is sent once more. Sending again must be safe: nothing of it reached Swift, or
 * Swift cannot have acted on it, or the caller said that acting twice is the same as once.
 */
interface Attempted {
  /** Undefined for a whole body, or none. */
  readonly upload: Pick<Upload, 'begun'> | undefined;
  /** Acting on it twice is the same as once. */
  readonly repeatable: boolean;
}

/** The permission that a repetition needs, by how far the attempt came. */
const ALLOWED: Readonly<Record<AttemptStage, (request: Attempted) => boolean>> = {
  unsent: ({ upload }) => upload?.begun !== true,
  body_unsent: ({ upload }) => upload?.begun !== true,
  unanswered: ({ upload, repeatable }) => upload === undefined && repeatable,
  given_up: () => false,
};

/** A proxy, or what is in front of it, that cannot now: another one may. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

export function isBusy(status: number): boolean {
  return BUSY_STATUSES.has(status);
}

/** @returns undefined when it stands as it is */
export function retryReason(
  outcome: Pick<Answer, 'status'> | AttemptError,
  request: Attempted,
): RetryReason | undefined {
  if (outcome instanceof AttemptError) {
    if (!ALLOWED[outcome.stage](request)) return undefined;
    if (outcome.stage === 'unsent') return 'connect';
    return outcome.kind === 'timeout' || outcome.kind === 'hung' ? outcome.kind : 'reset';
  }
  if (!isBusy(outcome.status)) return undefined;
  const { upload, repeatable } = request;
  return (upload === undefined ? repeatable : !upload.begun) ? 'status' : undefined;
}

const PAUSE_MS = 50;
const PAUSE_MS_MAX = 1_000;

/** @param retry 0 for the first one */
export function pauseMs(retry: number, random: () => number = Math.random): number {
  return Math.min(PAUSE_MS * 2 ** retry, PAUSE_MS_MAX) * (0.5 + random() / 2);
}

/** The share that a request adds to the budget of retries, and the most that the budget holds. */
const RETRIES_EARNED = 0.1;
const RETRIES_SAVED_MAX = 50;

/** A bounded share of requests, with a bounded burst: each request earns a part of an extra one. */
export class RequestBudget {
  #saved: number;

  /**
   * @param earned what a request adds: 0.1 allows one extra request in ten in the long run
   * @param savedMax extra requests that may be made at once
   */
  constructor(
    private readonly earned: number,
    private readonly savedMax: number,
  ) {
    this.#saved = earned > 0 ? savedMax : 0;
  }

  earn(): void {
    this.#saved = Math.min(this.#saved + this.earned, this.savedMax);
  }

  /** @returns false when there is none left */
  take(): boolean {
    if (this.#saved < 1) return false;
    this.#saved -= 1;
    return true;
  }
}

/** A request that never reached Swift, or stood still there, adds no load when it is sent again. */
const FREE: ReadonlySet<RetryReason> = new Set(['connect', 'token', 'hung']);

/**
 * Keeps retries from multiplying the load of a cluster that is down already: in the long run one
 * request in ten may be sent again. A retry that adds no load is free.
 */
export class RetryBudget {
  readonly #budget = new RequestBudget(RETRIES_EARNED, RETRIES_SAVED_MAX);

  earn(): void {
    this.#budget.earn();
  }

  /** @returns false when there is none left */
  spend(reason: RetryReason): boolean {
    return FREE.has(reason) || this.#budget.take();
  }
}
