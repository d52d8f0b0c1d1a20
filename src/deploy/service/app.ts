import { readFileSync } from 'node:fs';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { Logger } from '../../telemetry/logger.js';
import { ConnectionLimits } from '../../lib/connection-limits.js';
import { TokenBuckets } from '../../lib/token-buckets.js';
import { nextRequestId } from '../../telemetry/request-id.js';
import { SPEC_BYTES_MAX } from '../spec/parse.js';
import { authenticate } from './auth.js';
import type { DeployOptions } from './config.js';
import type { Control } from './control.js';
import { DeployError } from './errors.js';
import { openApi } from './openapi.js';
import { ROUTES } from './routes.js';

/** A specification with the members around it. */
const BODY_BYTES_MAX = SPEC_BYTES_MAX + 64 * 1024;
/** Wrong passwords of an address: so many at once, then one a second. */
const FAILURES = { perS: 1, burst: 60 };
const CONNECTIONS_MAX = 256;
const CONNECTIONS_CHECKED_MS = 5_000;

/** Bodies are read by the thread that plans, and no route has a schema of Fastify's own. */
const NO_SCHEMAS = { buildValidator: noSchema, buildSerializer: noSchema };

function noSchema(): never {
  throw new Error('a route of the control service has a JSON schema');
}

/** The HTTP server of the control service; it does not listen yet. */
export function buildApp(
  control: Control,
  options: DeployOptions,
  logger: Logger,
): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: () => nextRequestId(),
    requestIdHeader: false,
    bodyLimit: BODY_BYTES_MAX,
    keepAliveTimeout: 30_000,
    routerOptions: { maxParamLength: 256 },
    schemaController: { compilersFactory: NO_SCHEMAS },
    // No plugin waits for anything: what takes ten seconds is a busy host.
    pluginTimeout: 0,
    exposeHeadRoutes: false,
    ...serverOf(options),
  }) as FastifyInstance;
  // The console is a client like any other on its host.
  new ConnectionLimits({
    max: CONNECTIONS_MAX,
    perClientMax: CONNECTIONS_MAX,
    clientOf: () => undefined,
  }).watch(app.server);
  app.server.headersTimeout = 20_000;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
  installErrors(app, logger);
  // `forceCloseConnections` is for servers that Fastify itself has told to listen.
  app.addHook('preClose', (done) => {
    app.server.closeAllConnections();
    done();
  });
  const failures = new TokenBuckets(FAILURES);
  app.decorateRequest('actor', '');
  // Without a route, too. A right login always passes: others on its host share its address.
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      authenticate(request.headers.authorization, options.user, options.tokenFile);
    } catch (error) {
      if (!isRefusal(error) || failures.take(request.ip)) throw error;
      throw new DeployError('rate_limited', 'Too many wrong passwords.', undefined, 1);
    }
    (request as unknown as { actor: string }).actor = options.user;
    done();
  });
  for (const { method, path, handle } of ROUTES) {
    app.route({
      method,
      url: path,
      handler: (request, reply) => {
        void reply.header('cache-control', 'no-store');
        return handle(control, request, reply);
      },
    });
  }
  const document = openApi();
  app.get('/v1/openapi.json', () => document);
  return app;
}

function isRefusal(error: unknown): boolean {
  return error instanceof DeployError && error.code === 'unauthenticated';
}

function serverOf({ tlsCertFile, tlsKeyFile }: DeployOptions): object {
  const checked = { connectionsCheckingInterval: CONNECTIONS_CHECKED_MS };
  if (tlsCertFile === '') return { http: checked };
  return {
    https: {
      ...checked,
      cert: readFileSync(tlsCertFile),
      key: readFileSync(tlsKeyFile),
      minVersion: 'TLSv1.2',
    },
  };
}

function installErrors(app: FastifyInstance, logger: Logger): void {
  app.setNotFoundHandler(() => {
    throw new DeployError('not_found', 'There is no such route.');
  });
  app.setErrorHandler((error, request, reply) => {
    const known = described(error, logger, request.id);
    if (known.retryAfterS !== undefined) void reply.header('retry-after', known.retryAfterS);
    if (known.code === 'unauthenticated') {
      void reply.header('www-authenticate', 'Basic realm="deploy", charset="UTF-8"');
    }
    const { code, message, details } = known;
    return reply
      .status(known.status)
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send({
        error: {
          code,
          message,
          request_id: request.id,
          ...(details === undefined ? {} : { details }),
        },
      });
  });
}

function described(error: unknown, logger: Logger, requestId: string): DeployError {
  if (error instanceof DeployError) return error;
  const { statusCode, code, message = '' } = error as Partial<FastifyError>;
  if (statusCode === 413) return new DeployError('too_large', 'The body is too large.');
  if (statusCode === 415)
    return new DeployError('unsupported_media_type', 'The body must be JSON.');
  if (statusCode !== undefined && statusCode < 500) {
    return new DeployError('invalid_argument', 'The request is malformed.');
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new DeployError('no_space', 'The disk of the state directory is full.');
  }
  if (message.startsWith('Task queue is at limit')) {
    return new DeployError('busy', 'Too many plans wait.', undefined, 5);
  }
  logger.error({ err: error, request_id: requestId }, 'unexpected error');
  return new DeployError('internal', 'Something went wrong here.');
}
