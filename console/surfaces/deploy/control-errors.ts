import { z } from 'zod';
import { ApiError, type ApiErrorCode } from '../../server/api-error.js';

/** Codes of the control service that the browser is told as they are, with their messages. */
const PASSED = [
  'invalid_argument',
  'not_found',
  'plan_stale',
  'not_running',
  'conflict',
  'precondition_failed',
  'too_large',
  'unsupported_media_type',
  'unprocessable',
  'idempotency_key_reused',
  'locked',
  'precondition_required',
  'rate_limited',
  'unsupported_here',
  'busy',
  'no_space',
] as const satisfies readonly ApiErrorCode[];

/** The meaning of a status with none of those codes: another service may have words of its own. */
const BY_STATUS: ReadonlyMap<number, ApiErrorCode> = new Map([
  [400, 'invalid_argument'],
  [404, 'not_found'],
  [409, 'conflict'],
  [412, 'precondition_failed'],
  [413, 'too_large'],
  [415, 'unsupported_media_type'],
  [422, 'unprocessable'],
  [423, 'locked'],
  [428, 'precondition_required'],
  [429, 'rate_limited'],
  [501, 'unsupported_here'],
  [503, 'busy'],
  [507, 'no_space'],
]);

const PROBLEMS_MAX = 1000;
const CHECKS_MAX = 100;
const MESSAGE_LENGTH_MAX = 1000;

const text = () => z.string().transform((given) => given.slice(0, MESSAGE_LENGTH_MAX));
const PROBLEM = z.object({ path: text(), code: text().default(''), message: text() });
const CHECK = z.object({ program: text(), target: text(), state: text(), message: text() });
/** The details of an error that a browser is told; other members stay here. */
const DETAILS = z.object({
  errors: z.array(PROBLEM).max(PROBLEMS_MAX).optional(),
  checks: z.array(CHECK).max(CHECKS_MAX).optional(),
  run_id: text().optional(),
  ramp_id: text().optional(),
  holder: text().optional(),
  since_unix_s: z.number().optional(),
  etag: text().optional(),
  plan_id: text().optional(),
  needs: text().optional(),
});
const ERROR = z.object({
  error: z.object({ code: z.string(), message: text(), details: DETAILS.optional() }),
});

const NOT_UNDERSTOOD = 'The deploy service returned an invalid response.';
const RETRY_AFTER_S_MAX = 3600;

/** An answer of the control service that has failed. */
export interface FailedAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** The error that the browser is told for an answer that has failed. */
export function controlError({ status, retryAfter, text: body }: FailedAnswer): ApiError {
  if (status === 401 || status === 403) {
    return new ApiError(
      'deploy_auth_failed',
      "The deploy service rejected the console's user or password.",
      { needs: 'deploy_user, deploy_token_file' },
    );
  }
  const given = errorIn(body);
  const code = PASSED.find((one) => one === given?.code) ?? BY_STATUS.get(status);
  if (given === undefined || code === undefined) return badResponse(status);
  const { message, details } = given;
  return new ApiError(code, message, details, secondsOf(retryAfter));
}

/** An answer that is none of the contract, or tells of a failure within the service. */
export function badResponse(status: number): ApiError {
  if (status >= 500)
    return new ApiError('deploy_bad_response', 'The deploy service returned a server error.');
  return new ApiError('deploy_bad_response', NOT_UNDERSTOOD);
}

function errorIn(body: string): z.infer<typeof ERROR>['error'] | undefined {
  try {
    return ERROR.safeParse(JSON.parse(body)).data?.error;
  } catch {
    return undefined;
  }
}

/** Seconds; dates, which the header may have as well, are not used by the contract. */
function secondsOf(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,6}$/.test(header)) return undefined;
  return Math.min(Number(header), RETRY_AFTER_S_MAX);
}
