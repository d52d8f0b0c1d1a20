import { createRequire } from 'node:module';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { ConsoleOptions } from '../config/load.js';
import {
  CONTENT_FILE,
  HTML_TYPE,
  loginHtml,
  PUBLIC_FOLDER,
  SCRIPT_FOLDER,
  SHELL_FILE,
} from './page-html.js';

/** The files that a user sees before the login: only what the login needs. */
const OPEN_FILES: ReadonlySet<string> = new Set([
  '/login.html',
  '/js/login.js',
  '/js/login-page.js',
  '/js/theme.js',
  '/css/base.css',
  '/css/tokens.css',
  '/css/login.css',
  '/icon.svg',
]);

/** Files of the chart library, as pages ask for them. */
const CHART_FILES: Readonly<Record<string, string>> = {
  '/vendor/uplot.js': 'uPlot.esm.js',
  '/vendor/uplot.css': 'uPlot.min.css',
};

/** Scripts, styles and the login, from a table that is made at start: no path of a request is a file's. */
export async function pageRoutes(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.config = {
      ...route.config,
      access: OPEN_FILES.has(route.url) ? 'open' : 'read',
      background: true,
    };
  });
  await app.register(fastifyStatic, {
    root: [PUBLIC_FOLDER, SCRIPT_FOLDER],
    wildcard: false,
    cacheControl: false,
    index: false,
    // What pages are made from: see `page-html.ts`; and what scripts are compiled from.
    globIgnore: [SHELL_FILE, `pages/**/${CONTENT_FILE}`, 'login*.html', '**/*.ts'],
    setHeaders: (reply) => {
      reply.header('cache-control', 'no-cache');
    },
  });
  const login = loginHtml(options);
  app.get('/login.html', (_request, reply) =>
    reply.type(HTML_TYPE).header('cache-control', 'no-cache').send(login),
  );
  const charts = path.dirname(createRequire(import.meta.url).resolve('uplot'));
  for (const [url, file] of Object.entries(CHART_FILES)) {
    app.get(url, (_request, reply) => reply.sendFile(file, charts));
  }
}
