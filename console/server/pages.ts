import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleOptions } from '../config/load.js';
import { ASSETS_PATH, loadAssets, type Asset } from './assets.js';
import { HTML_TYPE, loginHtml } from './page-html.js';

/** The files that a user sees before the login: only what the login needs. */
const OPEN_FILES: ReadonlySet<string> = new Set([
  'ui/login.js',
  'ui/login-page.js',
  'ui/theme.js',
  'ui/css/base.css',
  'ui/css/tokens.css',
  'ui/css/login.css',
  'ui/icon.svg',
]);

/** Their addresses change with them. */
const KEPT = 'private, max-age=31536000, immutable';

/** Scripts, styles and the login, from a table that is made at start: no path of a request is a file's. */
export async function pageRoutes(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  for (const [name, asset] of await loadAssets()) {
    const access = OPEN_FILES.has(name) ? 'open' : 'read';
    // A page of an earlier build that is still open may load a module late: it gets what there is.
    const url = `/assets/:digest/${name}`;
    app.get(url, { config: { access, background: true } }, (request, reply) =>
      send(request, reply, asset),
    );
  }
  const login = loginHtml(options);
  app.get('/login.html', { config: { access: 'open', background: true } }, (_request, reply) =>
    reply.type(HTML_TYPE).header('cache-control', 'no-cache').send(login),
  );
}

function send(request: FastifyRequest, reply: FastifyReply, { type, plain, gzip }: Asset) {
  const isPresent = request.url.startsWith(ASSETS_PATH);
  reply.type(type).header('cache-control', isPresent ? KEPT : 'no-store');
  reply.header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(plain);
  return reply.header('content-encoding', 'gzip').send(gzip);
}
