import { readFileSync } from 'node:fs';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { Logger } from '../../telemetry/logger.js';
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
const REQUESTS_PER_MINUTE = 1200;
const CONNECTIONS_MAX = 256;

/** Bodies are read by the thread that plans, and no route has a schema of Fastify's own. */
const NO_SCHEMAS = { buildValidator: noSchema, buildSerializer: noSchema };

function noSchema(): never {
  throw new Error('a route of the control service has a JSON schema');
}

/** The HTTP server of the control service; it does not listen yet. */
export async function buildApp(
  control: Control,
  options: DeployOptions,
  logger: Logger,
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    genReqId: () => nextRequestId(),
    requestIdHeader: false,
    bodyLimit: BODY_BYTES_MAX,
    keepAliveTimeout: 30_000,
    routerOptions: { maxParamLength: 256 },
    schemaController: { compilersFactory: NO_SCHEMAS },
    exposeHeadRoutes: false,
    ...tlsOf(options),
  }) as FastifyInstance;
  app.server.maxConnections = CONNECTIONS_MAX;
  app.server.headersTimeout = 20_000;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
  installErrors(app, logger);
  await app.register(rateLimit, {
    // As a hook of its own, below: those of routes come after all others.
    global: false,
    max: REQUESTS_PER_MINUTE,
    timeWindow: 60_000,
    cache: 10_000,
    errorResponseBuilder: (_request, { ttl }) =>
      new DeployError('rate_limited', 'Too many requests.', undefined, Math.ceil(ttl / 1000)),
  });
  // `forceCloseConnections` is for servers that Fastify itself has told to listen.
  app.addHook('preClose', (done) => {
    app.server.closeAllConnections();
    done();
  });
  // Before the password is looked at, and where there is no route, too: it is not to be guessed.
  app.addHook('onRequest', app.rateLimit());
  app.decorateRequest('actor', '');
  app.addHook('onRequest', (request, _reply, done) => {
    authenticate(request.headers.authorization, options.user, options.tokenFile);
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

function tlsOf({ tlsCertFile, tlsKeyFile }: DeployOptions): object {
  if (tlsCertFile === '') return {};
  return {
    https: {
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
