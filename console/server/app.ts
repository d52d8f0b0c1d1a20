import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyInstance } from 'fastify';
import type { AllowedHosts } from '../../src/config/allowed-hosts.js';
import { ConnectionLimits } from '../../src/lib/connection-limits.js';
import { nextRequestId } from '../../src/telemetry/request-id.js';
import { ApiError } from './api-error.js';
import { installErrors } from './app-errors.js';
import { limitBodies } from './bodies.js';
import { networkOf } from './client-address.js';
import { commonRoutes } from './common-routes.js';
import type { ConsoleContext } from './context.js';
import { installGuard } from './guard.js';
import type { OpenSurfaces } from './open-surfaces.js';
import { limitUploads } from './upload-limits.js';
import { pageRoutes } from './pages.js';
import { SECURITY_HEADERS } from './security-headers.js';
import { sessionRoutes } from './session-routes.js';
import { surfaceRoutes } from './surface-routes.js';
import type { Traffic } from './traffic.js';

/** JSON of a request: the longest is a list of some thousand names. */
const JSON_BYTES_MAX = 4 * 1024 * 1024;
/**
 * The limit for one session, and for all of an address that have none; a page that uploads a folder of small files sends some hundred
 * requests a second.
 */
const REQUESTS_PER_MINUTE = 30_000;
const CONNECTIONS_MAX = 1024;
/** The limit for one address: the users behind one router have about ten each. */
const CONNECTIONS_PER_CLIENT_MAX = 256;
/** Within so long the head of a request has to be there; connections are looked at so often. */
const HEADERS_TIMEOUT_MS = 20_000;
const CONNECTIONS_CHECKED_MS = 5_000;
/** Longer than a ping of the events. */
const IDLE_MS = 120_000;

/**
 * Bodies are parsed in `parse.ts`, and no route has a schema of Fastify's own: without this it
 * loads its compilers of them all the same, 3 MiB.
 */
const NO_SCHEMAS = { buildValidator: noSchema, buildSerializer: noSchema };

function noSchema(): never {
  throw new Error('a route of the console has a JSON schema: they are parsed with zod');
}

/** @param hosts what `Host` may say, once the port is known */
export async function buildApp(
  context: ConsoleContext,
  surfaces: OpenSurfaces,
  hosts: () => Pick<AllowedHosts, 'has'>,
  traffic: Traffic,
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    genReqId: () => nextRequestId(),
    requestIdHeader: false,
    bodyLimit: JSON_BYTES_MAX,
    connectionTimeout: IDLE_MS,
    keepAliveTimeout: 30_000,
    routerOptions: { maxParamLength: 64 },
    schemaController: { compilersFactory: NO_SCHEMAS },
    // No plugin waits for anything: what takes ten seconds is a busy host.
    pluginTimeout: 0,
    // HEAD would begin downloads and streams without a reader.
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    http: { connectionsCheckingInterval: CONNECTIONS_CHECKED_MS },
  });
  const { views } = context;
  new ConnectionLimits({
    max: CONNECTIONS_MAX,
    perClientMax: CONNECTIONS_PER_CLIENT_MAX,
    clientOf: (address) => (views.isProxy(address) ? undefined : networkOf(address)),
  }).watch(app.server);
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;
  // A body that is streamed may take hours; one that stalls is cut by the idle time.
  app.server.requestTimeout = 0;
  // A body is JSON, or says that it is bytes where bytes are expected.
  app.removeContentTypeParser('text/plain');
  traffic.watch(app);
  installErrors(app, context);
  limitBodies(app);
  limitUploads(app);
  await app.register(cookie);
  await app.register(helmet, SECURITY_HEADERS);
  installGuard(app, context, hosts);
  await app.register(rateLimit, {
    max: REQUESTS_PER_MINUTE,
    timeWindow: 60_000,
    cache: 10_000,
    // Others on its host have its address, too.
    keyGenerator: ({ session, view }) => session?.id ?? view.address,
    errorResponseBuilder: (_request, { ttl }) =>
      new ApiError('rate_limited', 'Too many requests.', undefined, Math.ceil(ttl / 1000)),
  });
  sessionRoutes(app, context, surfaces.all);
  commonRoutes(app, context);
  await surfaceRoutes(app, context, surfaces);
  await app.register(async (scope) => pageRoutes(scope, context.options));
  return app;
}
