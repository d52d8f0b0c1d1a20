/** Every code that the console's API answers with, and its status. */
export const API_ERRORS = {
  invalid_argument: 400,
  bad_name: 400,
  meta_too_large: 400,
  unauthenticated: 401,
  forbidden: 403,
  csrf: 403,
  feature_disabled: 403,
  not_lab_object: 403,
  acl: 403,
  not_found: 404,
  unknown_node: 404,
  no_such_container: 404,
  no_such_object: 404,
  method_not_allowed: 405,
  conflict: 409,
  container_not_empty: 409,
  policy_conflict: 409,
  plan_stale: 409,
  not_running: 409,
  fault_active: 409,
  cooldown: 409,
  already_held: 409,
  another_node_held: 409,
  unsafe_quorum: 409,
  replication_behind: 409,
  protected_service: 409,
  restore_target_exists: 409,
  precondition_failed: 412,
  steady_state_failed: 412,
  exists: 412,
  too_large: 413,
  quota_exceeded: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  wrong_host: 421,
  unprocessable: 422,
  ring_corrupt: 422,
  unsupported_format: 422,
  etag_mismatch: 422,
  idempotency_key_reused: 422,
  locked: 423,
  object_locked: 423,
  panel_misconfigured: 422,
  precondition_required: 428,
  rate_limited: 429,
  internal: 500,
  unsupported_here: 501,
  upstream_error: 502,
  deploy_auth_failed: 502,
  deploy_bad_response: 502,
  upstream_unavailable: 503,
  busy: 503,
  driver_failed: 503,
  deploy_unreachable: 503,
  deploy_unconfigured: 503,
  upstream_timeout: 504,
  deploy_timeout: 504,
  no_space: 507,
} as const satisfies Readonly<Record<string, number>>;

export type ApiErrorCode = keyof typeof API_ERRORS;

/** A failure as the browser is told of it: its message names no host, address or credential. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(
    readonly code: ApiErrorCode,
    message: string,
    readonly details?: Readonly<Record<string, unknown>>,
    /** Seconds to wait before the next try. */
    readonly retryAfterS?: number,
  ) {
    super(message);
    this.status = API_ERRORS[code];
  }
}

/** The body of every failure. */
export function errorBody(error: ApiError, requestId: string) {
  const { code, message, details } = error;
  return {
    error: { code, message, request_id: requestId, ...(details === undefined ? {} : { details }) },
  };
}
