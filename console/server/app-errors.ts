import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, errorBody, type ApiErrorCode } from './api-error.js';
import type { ConsoleContext } from './context.js';
import { HTML_TYPE, problemHtml } from './page-html.js';
import { fromUpstream } from './upstream-errors.js';

export function installErrors(app: FastifyInstance, context: ConsoleContext): void {
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found', 'Page not found.');
  });
  app.setErrorHandler((error, request, reply) => {
    const known = describeError(isCut(request, error) ? QUIET : context, error, request.id);
    if (known.code === 'unauthenticated' && request.session !== null) {
      context.sessions.end(request.session);
    }
    if (known.retryAfterS !== undefined) void reply.header('retry-after', known.retryAfterS);
    void reply.status(known.status).header('cache-control', 'no-store');
    if (wantsPage(request))
      return reply.type(HTML_TYPE).send(problemHtml(titleOf(known), known.message));
    return reply.type('application/json; charset=utf-8').send(errorBody(known, request.id));
  });
}

const CUT_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** True when a request has failed only because its client left, such as a cancelled upload. */
function isCut({ raw }: FastifyRequest, error: unknown): boolean {
  if (!raw.readableAborted && !raw.socket.destroyed) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  return fromUpstream(error) !== undefined || CUT_CODES.has(code);
}

/** That is no failure, and not for the log. */
const QUIET = { logger: { warn: () => undefined, error: () => undefined } };

/** Whether a user who is logged in opened an address in the browser. Programs get JSON. */
function wantsPage({ method, headers, session, url }: FastifyRequest): boolean {
  const isPage = headers.accept?.includes('text/html') === true && !/^(?:\/\w+)?\/api\//.test(url);
  return method === 'GET' && session !== null && isPage;
}

function titleOf({ code, status }: ApiError): string {
  if (status === 404) return 'Page not found';
  const isOff = status === 403 || status === 501 || code === 'deploy_unconfigured';
  return isOff ? 'Not available' : 'Something went wrong';
}

const BY_STATUS: ReadonlyMap<number, readonly [ApiErrorCode, string]> = new Map([
  [400, ['invalid_argument', 'The request is malformed.']],
  [404, ['not_found', 'Page not found.']],
  [405, ['method_not_allowed', 'Method not allowed.']],
  [413, ['too_large', 'The request is too large.']],
  [414, ['invalid_argument', 'The URL is too long.']],
  [415, ['unsupported_media_type', 'The request body must be JSON.']],
  [429, ['rate_limited', 'Too many requests.']],
]);

/** The description of an error for the browser; an unexpected one goes to the log alone. */
export function describeError(
  { logger }: { readonly logger: Pick<ConsoleContext['logger'], 'error' | 'warn'> },
  error: unknown,
  requestId: string,
): ApiError {
  if (error instanceof ApiError) return error;
  const upstream = fromUpstream(error);
  if (upstream !== undefined) {
    if (upstream.status >= 500) logger.warn({ err: error, request_id: requestId }, 'store failed');
    return upstream;
  }
  const known = BY_STATUS.get((error as Partial<FastifyError>).statusCode ?? 0);
  if (known !== undefined) return new ApiError(...known);
  logger.error({ err: error, request_id: requestId }, 'unexpected error');
  return new ApiError('internal', 'Internal error. See the console log.');
}
