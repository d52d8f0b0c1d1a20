import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { readRoute } from '../../server/route-options.js';
import { clientGone } from '../../server/traffic.js';
import { ControlClient } from './control-client.js';
import type { DeployOperators } from './answers.js';
import { badResponse } from './control-errors.js';
import {
  acting,
  BODY_BYTES_MAX,
  bodyOf,
  done,
  expectCluster,
  headerOf,
  idOf,
  keyOf,
  passOn,
} from './pass-on.js';
import { rampActs } from './ramp-routes.js';
import { RunStreams } from './run-streams.js';

/** A plan of thousands of devices, with what Swift's own programs say of it. */
const PLAN_IDLE_MS = 300_000;
/** The service looks at every file of every node. */
const STATUS_IDLE_MS = 120_000;

/** As many runs as the history of the service has. */
const OPERATORS_MAX = 100;

const NODE = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, { error: 'the name of a node' });
const ARTIFACT = z.object({
  run: z.string().regex(/^[\w-]{1,128}$/, { error: 'the id of a run' }),
  node: NODE,
  path: z
    .string()
    .max(512)
    .regex(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/, { error: 'the path of a file' }),
});
const IF_MATCH = z.string().regex(/^"[\x21\x23-\x7e]{1,128}"$/, { error: 'a strong entity tag' });
const NODES_MAX = 10_000;
const RETRY = z.strictObject({ nodes: z.array(NODE).min(1).max(NODES_MAX).optional() });
const APPLY = z.strictObject({ cluster: z.string().max(256) });

/**
 * The control service's routes, with the console's credentials. Bodies are passed on as they are, in
 * both directions and without being parsed: specifications and plans may be long, and the service
 * judges them.
 */
export function deployRoutes(app: FastifyInstance, context: ConsoleContext): void {
  // The gate of the surface answers for all routes of a console without the service.
  if (context.options.deployUpstream === '') return;
  const control = new ControlClient(context.options);
  const streams = new RunStreams();
  app.addHook('onClose', () => {
    control.close();
  });
  void app.register((scope, _options, done) => {
    readRoutes(scope, context, control, streams);
    actRoutes(scope, context, control);
    rampActs(scope, context, control);
    done();
  });
  void app.register((scope, _options, done) => {
    scope.removeContentTypeParser('application/json');
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
      (_request, body, parsed) => {
        parsed(null, body);
      },
    );
    bodyRoutes(scope, context, control);
    done();
  });
}

/** The routes that change nothing. */
function readRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  control: ControlClient,
  streams: RunStreams,
): void {
  const read = (
    url: string,
    pathOf: (request: FastifyRequest) => string,
    idleMs?: number,
  ): void => {
    app.get(url, { config: { access: 'operate' } }, async (request, reply) => {
      const path = pathOf(request);
      const asked = { method: 'GET', path, signal: clientGone(reply), idleMs } as const;
      return passOn(reply, await control.send(asked));
    });
  };
  read('/deploy/api/spec', () => '/spec');
  read('/deploy/api/status', () => '/status', STATUS_IDLE_MS);
  read('/deploy/api/history', () => '/history');
  // The service knows the console's own user alone.
  app.get('/deploy/api/operators', { config: { access: 'operate' } }, async () => ({
    runs: await operators(context),
  }));
  read('/deploy/api/plans/:id', (request) => `/plans/${idOf(request)}`);
  read('/deploy/api/runs/:id', (request) => `/runs/${idOf(request)}`);
  read('/deploy/api/artifacts/:id', (request) => `/artifacts/${idOf(request)}`);
  read('/deploy/api/ramps', () => '/ramps');
  read('/deploy/api/ramps/:id', (request) => `/ramps/${idOf(request)}`);

  app.get('/deploy/api/artifacts', { config: { access: 'operate' } }, async (request, reply) => {
    const { run, node, path } = parse(ARTIFACT, request.query);
    const encoded = [run, node, ...path.split('/')].map((part) => encodeURIComponent(part));
    const { body } = await control.send({
      method: 'GET',
      path: `/artifacts/${encoded.join('/')}`,
      signal: clientGone(reply),
    });
    const name = path.slice(path.lastIndexOf('/') + 1);
    void reply.header('content-disposition', `attachment; filename="${name}"`);
    return reply.type('application/octet-stream').send(body);
  });

  const config = { access: 'operate', background: true } as const;
  for (const what of ['runs', 'ramps'] as const) {
    app.get(`/deploy/api/${what}/:id/events`, { config }, async (request, reply) => {
      const session = sessionOf(request);
      const path = `/${what}/${idOf(request)}/events`;
      const stream = await streams.open(session, async () => {
        const answer = await control.send({ method: 'GET', path, signal: clientGone(reply) });
        if (answer.type.startsWith('text/event-stream')) return answer.body;
        answer.body.destroy();
        throw badResponse(answer.status);
      });
      return reply.type('text/event-stream').send(stream);
    });
  }
}

const BEGINS: ReadonlySet<string> = new Set(['deploy.apply', 'deploy.retry', 'deploy.ramp']);

/** The users who began runs and ramps here, by the id of the run or the ramp. */
async function operators({ audit }: ConsoleContext): Promise<DeployOperators['runs']> {
  const begun = await audit.latest(
    ({ action, result }) => BEGINS.has(action) && result === 'ok',
    OPERATORS_MAX,
  );
  return Object.fromEntries(
    begun.flatMap(({ actor, details }) =>
      typeof details?.made === 'string' ? [[details.made, actor]] : [],
    ),
  );
}

/** The routes that change the cluster. */
function actRoutes(app: FastifyInstance, context: ConsoleContext, control: ControlClient): void {
  app.post('/deploy/api/plans/:id/apply', acting('deploy.apply'), async (request, reply) => {
    const plan = idOf(request);
    const { cluster } = parse(APPLY, request.body ?? {});
    const headers = {
      'if-match': headerOf(request, 'if-match', IF_MATCH),
      'idempotency-key': keyOf(request),
    };
    const act = { action: 'deploy.apply', target: plan };
    return done(context, request, reply, act, async () => {
      await expectCluster(control, cluster);
      return control.send({ method: 'POST', path: `/plans/${plan}/apply`, headers });
    });
  });

  app.post('/deploy/api/runs/:id/retry', acting('deploy.retry'), async (request, reply) => {
    const run = idOf(request);
    const headers = { 'idempotency-key': keyOf(request) };
    const given = parse(RETRY, request.body ?? {});
    const details = given.nodes === undefined ? {} : { nodes: given.nodes.join(' ') };
    const act = { action: 'deploy.retry', target: run, details };
    const body = JSON.stringify(given);
    return done(context, request, reply, act, () =>
      control.send({ method: 'POST', path: `/runs/${run}/retry`, headers, body }),
    );
  });

  app.post('/deploy/api/runs/:id/cancel', acting('deploy.cancel'), async (request, reply) => {
    const run = idOf(request);
    return done(context, request, reply, { action: 'deploy.cancel', target: run }, () =>
      control.send({ method: 'POST', path: `/runs/${run}/cancel` }),
    );
  });
}

/** The routes that have a specification in their body. */
function bodyRoutes(app: FastifyInstance, context: ConsoleContext, control: ControlClient): void {
  app.put('/deploy/api/spec', acting('deploy.spec'), async (request, reply) => {
    const before = headerOf(request, 'if-match', IF_MATCH);
    const act = { action: 'deploy.spec', target: '', details: { before } };
    return done(context, request, reply, act, () => {
      const headers = { 'if-match': before };
      return control.send({ method: 'PUT', path: '/spec', headers, body: bodyOf(request) });
    });
  });

  app.post('/deploy/api/validate', readRoute('operate'), async (request, reply) => {
    const asked = { method: 'POST', path: '/validate', body: bodyOf(request) } as const;
    return passOn(reply, await control.send({ ...asked, signal: clientGone(reply) }));
  });

  app.post('/deploy/api/plans', acting('deploy.plan', 'operate'), async (request, reply) => {
    const body = bodyOf(request);
    const signal = clientGone(reply);
    return done(context, request, reply, { action: 'deploy.plan', target: '' }, () =>
      control.send({ method: 'POST', path: '/plans', body, signal, idleMs: PLAN_IDLE_MS }),
    );
  });
}
