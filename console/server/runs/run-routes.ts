import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { loginName } from '../../config/keys.js';
import { ApiError } from '../api-error.js';
import { accountOf, recordAction } from '../audit-record.js';
import { sessionOf, type ConsoleContext } from '../context.js';
import type { EventTopic } from '../events.js';
import { parse } from '../parse.js';
import { auditedRoute } from '../route-options.js';
import { hasRight } from '../rights.js';
import type { RunActor, RunView } from './run.js';

const RUN = z.object({ id: z.uuid() });
const LIST = z.object({ kind: z.string().max(64).optional() });

/** Each change of a run, for all operators: `RunView`. */
export const RUNS_TOPIC: EventTopic = { name: 'runs', access: 'operate', events: 500 };

export interface RunsView {
  readonly items: readonly RunView[];
}

/** The runs of all operators; what starts one is a route of its surface. */
export function runRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const access = 'operate';
  const { runs } = context;

  app.get(
    '/api/runs',
    { config: { access, background: true } },
    async (request): Promise<RunsView> => ({
      items: await runs.list(parse(LIST, request.query).kind),
    }),
  );
  app.get('/api/runs/:id', { config: { access, background: true } }, async (request, reply) =>
    sendRun(reply, runs, parse(RUN, request.params).id),
  );
  app.delete('/api/runs/:id', auditedRoute(access), (request) =>
    cancelRun(context, request, parse(RUN, request.params).id),
  );
}

/** Answers with a `WholeRun`, whose result is not parsed for that. @throws ApiError not_found */
export async function sendRun(
  reply: FastifyReply,
  runs: Pick<ConsoleContext['runs'], 'json'>,
  id: string,
): Promise<FastifyReply> {
  const run = await runs.json(id);
  return reply.type('application/json; charset=utf-8').send(run);
}

/** Ends a run, or tries again to take back one that is stuck. @throws ApiError not_found, forbidden */
export async function cancelRun(
  context: Pick<ConsoleContext, 'runs' | 'audit'>,
  request: FastifyRequest,
  id: string,
): Promise<RunView> {
  const { runs } = context;
  const kind = await runs.kindOf(id);
  const act = { action: `${kind.name}.cancel`, target: id };
  if (!hasRight(sessionOf(request).user.role, kind.access)) {
    await recordAction(context, request, { ...act, result: 'denied' });
    throw new ApiError('forbidden', 'Your role does not allow this.');
  }
  const run = await runs.cancel(id);
  await recordAction(context, request, { ...act, result: 'ok' });
  return run;
}

/** The user of a request, who starts a run with it. */
export function runActor(request: FastifyRequest): RunActor {
  const { user } = sessionOf(request);
  const ip = request.view.address;
  const account = accountOf(request);
  return { actor: loginName(user), role: user.role, ip, request_id: request.id, account };
}
