import { DEPLOY_ERRORS } from './errors.js';
import type { Route } from './route.js';
import { ROUTES } from './routes.js';

const VERSION = '1.0.0';
const EVERYWHERE = [401, 429, 500];
/** Requests that change something may have no body where one is wanted, and find the disk full. */
const OF_CHANGES = [400, 413, 415, 507];
/** A body is looked at by the thread that plans, for which others may wait. */
const OF_BODIES = [422, 503];
const HEADER_DOCS: Readonly<Record<string, string>> = {
  'if-match': 'An entity tag in double quotes.',
  'idempotency-key': 'A text of the client that is another for each wish to apply.',
};

/** The OpenAPI document of the control service, from the table of its routes. */
export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of ROUTES) {
    const path = openApiPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Ringway Deploy', version: VERSION },
    security: [{ basic: [] }],
    paths,
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic' } },
      schemas: { error: ERROR },
    },
  };
}

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'request_id'],
      properties: {
        code: { enum: Object.keys(DEPLOY_ERRORS) },
        message: { type: 'string' },
        request_id: { type: 'string' },
        details: { type: 'object' },
      },
    },
  },
};

/** `/v1/runs/:id` as `/v1/runs/{id}`; the rest of a path is called `path`. */
export function openApiPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');
}

const BODIES: readonly string[] = [
  ...['/v1/validate', '/v1/plans', '/v1/ramps', '/v1/rings/import', '/v1/runs/:id/retry'],
];

function takesBody(method: Route['method'], path: string): boolean {
  return method === 'PUT' || BODIES.includes(path);
}

function operationOf({ path, summary, statuses, headers = [], method }: Route): object {
  const inPath = [...openApiPath(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inHeader = headers.map((name) => ({
    name,
    in: 'header',
    required: true,
    description: HEADER_DOCS[name],
    schema: { type: 'string' },
  }));
  const hasBody = takesBody(method, path);
  const all = new Set([
    ...[...statuses, ...EVERYWHERE],
    ...(method === 'GET' ? [] : OF_CHANGES),
    ...(hasBody ? OF_BODIES : []),
  ]);
  const responses = [...all].map((status) => [
    String(status),
    status < 300
      ? { description: 'Done.' }
      : {
          description: Object.entries(DEPLOY_ERRORS)
            .filter(([, own]) => own === status)
            .map(([code]) => code)
            .join(', '),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/error' } } },
        },
  ]) as [string, object][];
  return {
    summary,
    parameters: [...inPath, ...inHeader],
    ...(hasBody
      ? { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } }
      : {}),
    responses: Object.fromEntries(responses),
  };
}
