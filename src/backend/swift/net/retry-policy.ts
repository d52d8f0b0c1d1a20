import type { Answer } from './answer.js';
import { AttemptError, type AttemptStage } from './attempt-error.js';
import type { RetryReason } from './hooks.js';
import type { Upload } from './upload.js';

/**
 * When a request is sent once more. Sending again must be safe: nothing of it reached Swift, or
 * Swift cannot have acted on it, or the caller said that acting twice is the same as once.
 */
export interface Attempted {
  /** Undefined for a whole body, or none. */
  readonly upload: Upload | undefined;
  /** Acting on it twice is the same as once. */
  readonly repeatable: boolean;
}

/** Who has to allow it, by how far the attempt came. */
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
  outcome: Answer | AttemptError,
  request: Attempted,
): RetryReason | undefined {
  if (outcome instanceof AttemptError) {
    if (!ALLOWED[outcome.stage](request)) return undefined;
    if (outcome.stage === 'unsent') return 'connect';
    return outcome.kind === 'timeout' ? 'timeout' : 'reset';
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

/** What a request adds to the budget, and what the budget holds. */
const EARNED = 0.1;
const SAVED_MAX = 50;

/**
 * Keeps retries from multiplying the load of a cluster that is down already: in the long run one
 * request in ten may be sent again. What never reached Swift is free.
 */
export class RetryBudget {
  #saved = SAVED_MAX;

  earn(): void {
    this.#saved = Math.min(this.#saved + EARNED, SAVED_MAX);
  }

  /** @returns false when there is none left */
  spend(reason: RetryReason): boolean {
    if (reason === 'connect' || reason === 'token') return true;
    if (this.#saved < 1) return false;
    this.#saved -= 1;
    return true;
  }
}
