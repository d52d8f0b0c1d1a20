/** Every code that the control service answers with, and its status. */
export const DEPLOY_ERRORS = {
  invalid_argument: 400,
  unauthenticated: 401,
  not_found: 404,
  plan_stale: 409,
  not_running: 409,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  idempotency_key_reused: 422,
  locked: 423,
  precondition_required: 428,
  rate_limited: 429,
  internal: 500,
  busy: 503,
  no_space: 507,
} as const satisfies Readonly<Record<string, number>>;

export type DeployErrorCode = keyof typeof DEPLOY_ERRORS;

/** A failure as a client is told of it; no message has a secret. */
export class DeployError extends Error {
  override readonly name = 'DeployError';
  readonly status: number;

  constructor(
    readonly code: DeployErrorCode,
    message: string,
    readonly details?: Readonly<Record<string, unknown>>,
    /** Seconds to wait before the next try. */
    readonly retryAfterS?: number,
  ) {
    super(message);
    this.status = DEPLOY_ERRORS[code];
  }
}
