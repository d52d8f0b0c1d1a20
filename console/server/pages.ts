import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { ConsoleOptions } from '../config/load.js';
import { HTML_TYPE, loginHtml, SCRIPT_FOLDER, SOURCE_FOLDER } from './page-html.js';

/** The files that a user sees before the login: only what the login needs. */
const OPEN_FILES: ReadonlySet<string> = new Set([
  '/login.html',
  '/ui/login.js',
  '/ui/login-page.js',
  '/ui/theme.js',
  '/ui/css/base.css',
  '/ui/css/tokens.css',
  '/ui/css/login.css',
  '/ui/icon.svg',
]);

/** What browsers load lies in `ui/` and in the folder `page/` of each page, among the server's code. */
const FOR_BROWSERS = /^(?:ui|surfaces\/.+\/page)\//;
const FOLDERS = [
  { root: SOURCE_FOLDER, kinds: /\.(?:css|svg)$/ },
  { root: SCRIPT_FOLDER, kinds: /\.js(?:\.map)?$/ },
];

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
    serve: false,
    root: SCRIPT_FOLDER,
    cacheControl: false,
    setHeaders: (reply) => {
      reply.header('cache-control', 'no-cache');
    },
  });
  for (const { root, kinds } of FOLDERS) {
    for (const file of filesForBrowsers(root, kinds)) {
      app.get(`/${file}`, (_request, reply) => reply.sendFile(file, root));
    }
  }
  const login = loginHtml(options);
  app.get('/login.html', (_request, reply) =>
    reply.type(HTML_TYPE).header('cache-control', 'no-cache').send(login),
  );
  const charts = path.dirname(createRequire(import.meta.url).resolve('uplot'));
  for (const [url, file] of Object.entries(CHART_FILES)) {
    app.get(url, (_request, reply) => reply.sendFile(file, charts));
  }
}

function filesForBrowsers(root: string, kinds: RegExp): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => FOR_BROWSERS.test(file) && kinds.test(file),
  );
}
