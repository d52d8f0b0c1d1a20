import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { settingOf } from '../../server/features.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import { runActor, sendRun } from '../../server/runs/run-routes.js';
import type { Surface } from '../../server/surface.js';
import type { Session } from '../../server/sessions.js';
import type { BenchmarkProfile } from './profiles.js';
import { BenchmarkRuns, type BenchmarkRun, type BenchmarkRunRow } from './runs.js';

export interface BenchmarksView {
  readonly profiles: readonly BenchmarkProfile[];
  /** The newest first. */
  readonly items: readonly BenchmarkRunRow[];
}

const START = z.strictObject({ profile: z.string().max(64) });

/** The answers on benchmarks that pages read. */
export interface BenchmarksAnswers {
  'GET /api/benchmarks': BenchmarksView;
  'POST /api/benchmarks/runs': { readonly id: string };
  [benchmark: `GET /api/benchmarks/runs/${string}`]: BenchmarkRun;
}

export const BENCHMARKS: Surface<{
  readonly service: BenchmarkRuns;
  readonly answers: BenchmarksAnswers;
}> = {
  id: 'benchmarks',
  group: 'cluster',
  feature: 'test',
  setting: settingOf(
    'Benchmarks are',
    'test_enabled',
    'docs/benchmarks.md',
    ({ testEnabled }) => testEnabled,
  ),
  access: 'operate',
  prefixes: ['/api/benchmarks'],
  pages: [
    {
      id: 'benchmarks',
      title: 'Benchmarks',
      purpose: 'Measure how fast the service is with profiles, and compare with previous runs.',
      path: '/benchmarks',
      icon: 'gauge',
      styles: ['/ui/css/charts.css', '/ui/css/lab.css', '/surfaces/benchmarks/page/benchmarks.css'],
      routes: benchmarkRoutes,
    },
  ],
  open: ({ runs, options, logger }) => new BenchmarkRuns(runs, options, logger),
};

function benchmarkRoutes(app: FastifyInstance, context: ConsoleContext, runs: BenchmarkRuns): void {
  const access = 'operate';

  app.get(
    '/api/benchmarks',
    { config: { access, background: true } },
    async (): Promise<BenchmarksView> => {
      return { profiles: await runs.profiles.list(), items: await runs.rows() };
    },
  );

  app.post('/api/benchmarks/runs', auditedRoute(access), async (request, reply) => {
    const profile = await runs.profiles.get(parse(START, request.body).profile);
    const environment =
      profile.target === 'own' ? {} : await serviceOf(context, sessionOf(request));
    const { id } = await runs.start(profile, environment, runActor(request));
    return reply.status(202).send({ id });
  });

  app.get(
    '/api/benchmarks/runs/:id',
    { config: { access, background: true } },
    async (request, reply) => {
      const { id } = request.params as { readonly id: string };
      const former = await runs.former(id);
      if (former !== undefined) return former;
      return sendRun(reply, context.runs, (await runs.view(id)).id);
    },
  );
}

/**
 * The environment of a runner that measures this service as the user who starts it.
 * @throws ApiError unsupported_here without `s3_base`
 */
async function serviceOf(
  { options }: Pick<ConsoleContext, 'options'>,
  { s3 }: Session,
): Promise<Readonly<Record<string, string>>> {
  if (s3 === undefined) {
    throw new ApiError(
      'unsupported_here',
      "This profile requires access to the service's S3 API.",
      {
        needs: 's3_base',
      },
    );
  }
  const { accessKey, secretKey } = await s3.credentials();
  return {
    RINGWAY_S3_ENDPOINT: options.s3Base,
    RINGWAY_S3_REGION: options.s3Region,
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey,
  };
}
