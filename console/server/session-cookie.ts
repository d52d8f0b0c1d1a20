import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleOptions } from '../config/load.js';
import { ApiError } from './api-error.js';
import type { ClientView } from './client-address.js';

/**
 * The cookie of the session. Where it is for https only, its name has the prefix with which a browser
 * takes it from this host alone, and for all of its paths. Over http, as on loopback, browsers refuse
 * that name; whatever else listens on the host can then set the other one.
 */
const NAME = 'console_sid';
const HTTPS_NAME = `__Host-${NAME}`;

type CookieOptions = Pick<ConsoleOptions, 'cookieSecure'>;

/**
 * The value of the session's cookie; undefined without one.
 * @throws ApiError forbidden for two of them: another program on the host has set one for some paths,
 *   so that it stands before ours; its paths are cleared
 */
export function sidOf(
  options: CookieOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): string | undefined {
  const name = nameFor(options, request.view);
  const sent = (request.headers.cookie ?? '').split(';');
  const count = sent.filter((one) => one.trimStart().startsWith(`${name}=`)).length;
  if (count <= 1) return request.cookies[name];
  for (const path of pathsAbove(request.raw.url ?? '')) void reply.clearCookie(name, { path });
  throw new ApiError(
    'forbidden',
    'There are two cookies of this console: another program on its host has set one. Load the page again.',
  );
}

export function setSid(
  options: CookieOptions,
  { view }: FastifyRequest,
  reply: FastifyReply,
  sid: string,
): void {
  void reply.setCookie(nameFor(options, view), sid, {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure: isSecure(options, view),
  });
}

export function clearSid(
  options: CookieOptions,
  { view }: FastifyRequest,
  reply: FastifyReply,
): void {
  // Browsers take no word of the prefixed one without `Secure`.
  void reply.clearCookie(nameFor(options, view), { path: '/', secure: isSecure(options, view) });
}

function nameFor(options: CookieOptions, view: ClientView): string {
  return isSecure(options, view) ? HTTPS_NAME : NAME;
}

function isSecure({ cookieSecure }: CookieOptions, { scheme }: ClientView): boolean {
  return cookieSecure === 'auto' ? scheme === 'https' : cookieSecure === 'always';
}

/** The paths for which a cookie comes with a request, but for the root, which is ours. */
function pathsAbove(target: string): string[] {
  const [path = ''] = target.split('?');
  const parts = path.split('/').filter((part) => part !== '');
  const paths = parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}`);
  return paths.flatMap((one) => [one, `${one}/`]).slice(0, PATHS_MAX);
}

/** No route has more. */
const PATHS_MAX = 16;
