import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../api-error.js';
import type { ConsoleContext } from '../context.js';
import { parse } from '../parse.js';
import { auditedRoute } from '../route-options.js';
import { cancelRun, sendRun } from './run-routes.js';
import type { RunFacts, RunView, WholeRun } from './run.js';
import type { Runs } from './runs.js';

const RUN = z.object({ id: z.string().max(64) });

/** The runs of one kind, as all operators see them. */
export class RunCollection<Params extends RunFacts, Result = unknown, Detail = unknown> {
  /** @param noun what messages call one of them */
  constructor(
    protected readonly runs: Runs,
    private readonly kind: string,
    private readonly noun = 'Run',
  ) {}

  /** The newest first. */
  async list(): Promise<RunView<Params>[]> {
    return (await this.runs.list(this.kind)) as RunView<Params>[];
  }

  /** One without its result, which may have megabytes. @throws ApiError not_found */
  async view(id: string): Promise<Omit<WholeRun<Params, Result, Detail>, 'result'>> {
    return this.#own(await this.runs.view(id)) as WholeRun<Params, Result, Detail>;
  }

  /** @throws ApiError not_found */
  async get(id: string): Promise<WholeRun<Params, Result, Detail>> {
    return this.#own(await this.runs.get(id)) as WholeRun<Params, Result, Detail>;
  }

  #own<Run extends { readonly kind: string }>(run: Run): Run {
    if (run.kind !== this.kind) throw new ApiError('not_found', `${this.noun} not found.`);
    return run;
  }
}

/** The routes of one run of a kind, for operators: with its result, and its end. */
export function runCollectionRoutes(
  app: FastifyInstance,
  context: Pick<ConsoleContext, 'runs' | 'audit'>,
  path: string,
  all: { view(id: string): Promise<{ readonly id: string }> },
): void {
  const access = 'operate';

  app.get(`${path}/:id`, { config: { access, background: true } }, async (request, reply) => {
    const { id } = await all.view(parse(RUN, request.params).id);
    return sendRun(reply, context.runs, id);
  });

  app.delete(`${path}/:id`, auditedRoute(access), async (request, reply) => {
    const { id } = await all.view(parse(RUN, request.params).id);
    await cancelRun(context, request, id);
    return reply.status(204).send();
  });
}
