import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { AllowedHosts } from '../../src/config/allowed-hosts.js';
import { ApiError } from './api-error.js';
import { recordAction } from './audit-record.js';
import type { ClientView } from './client-address.js';
import type { ConsoleContext } from './context.js';
import { hasRight } from './rights.js';
import { sidOf } from './session-cookie.js';
import { isCsrfToken } from './sessions.js';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const LOGIN_PAGE = '/login.html';

/**
 * The checks that every request has to pass, in this order: host, origin, session, token against
 * forgery, whether its surface is on, right. A route that does not say who may use it stops the
 * start, as does one that is no read and does not say whether the audit log has it.
 */
export function installGuard(
  app: FastifyInstance,
  context: ConsoleContext,
  hosts: () => Pick<AllowedHosts, 'has'>,
): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  // Checked when ready, because plugins still add to their routes.
  app.addHook('onReady', () => {
    for (const { url, method, config: { access, audits, unaudited } = {} } of routes) {
      if (access === undefined) throw new Error(`${url} does not declare who can access it.`);
      const isRead = [method].flat().every((one) => READS.has(one));
      if (isRead || audits !== undefined || unaudited !== undefined) continue;
      throw new Error(`${url} does not declare whether it is in the audit log.`);
    }
    return Promise.resolve();
  });
  app.decorateRequest('session', null);
  app.addHook('onRequest', async (request, reply) => {
    request.view = context.views.of(request.raw);
    void reply.header('cache-control', 'no-store').header('x-request-id', request.id);
    if (!hosts().has(request.view.host)) {
      throw new ApiError('wrong_host', 'The console is not configured for this host name.');
    }
    // Else it would name another object than the one that was meant.
    if (!isWellFormedTarget(request.raw.url ?? '')) {
      throw new ApiError('invalid_argument', 'The URL is not valid UTF-8.');
    }
    const changes = !READS.has(request.method);
    if (changes && !isSameOrigin(request.headers, request.view)) {
      throw new ApiError('csrf', 'The request did not come from a page of this console.');
    }
    const { access, audits, background, gate } = request.routeOptions.config;
    if (access === 'open') return;
    const sid = sidOf(context.options, request, reply);
    const session = sid === undefined ? undefined : context.sessions.find(sid);
    if (session === undefined) return refuse(request, reply);
    if (changes && !isCsrfToken(session, request.headers['x-csrf-token'])) {
      throw new ApiError(
        'csrf',
        'The CSRF token is missing or invalid. Reload the page and try again.',
      );
    }
    request.session = session;
    if (gate?.off !== undefined) {
      const { code, message, needs } = gate.off;
      throw new ApiError(code, message, { needs });
    }
    const isAllowed = [access, gate?.access].every(
      (right) => right === undefined || hasRight(session.user.role, right),
    );
    if (!isAllowed) {
      if (typeof audits === 'string') {
        const target = (request.query as { readonly name?: unknown }).name;
        const act = { action: audits, target: typeof target === 'string' ? target : '' };
        await recordAction(context, request, { ...act, result: 'denied' });
      }
      throw new ApiError('forbidden', 'Your role does not allow this.');
    }
    if (background !== true && request.headers['x-background'] !== '1') {
      context.sessions.touch(session);
    }
    // The session ends when the store refuses its user; the request does not wait for that.
    session.store.check().catch(() => undefined);
    return undefined;
  });
}

/**
 * Whether a request that changes something comes from a page of this console: browsers say so with
 * `Sec-Fetch-Site`, or `Origin`, and no page can set either. Saying nothing is saying no.
 */
function isSameOrigin(headers: IncomingHttpHeaders, view: ClientView): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin !== undefined) return origin.toLowerCase() === `${view.scheme}://${view.host}`;
  return site === 'same-origin';
}

/** Routers leave a broken escape as it is, and take bytes that are no UTF-8 for other text. */
function isWellFormedTarget(target: string): boolean {
  try {
    decodeURIComponent(target);
    return true;
  } catch {
    return false;
  }
}

/** People are led to the login; programs are told. */
function refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const wantsPage = request.method === 'GET' && request.headers.accept?.includes('text/html');
  // A browser with our cookie had a session, and its user is told that it has ended. Other programs on
  // the host set cookies, too.
  const ended = request.headers.cookie?.includes('console_sid=') === true ? '#ended' : '';
  if (wantsPage === true) return reply.redirect(`${LOGIN_PAGE}${ended}`, 303);
  throw new ApiError(
    'unauthenticated',
    'You are not logged in, or your session has expired. Log in again.',
  );
}
