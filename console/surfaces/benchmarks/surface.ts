import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { loginName } from '../../config/keys.js';
import { ApiError } from '../../server/api-error.js';
import { audited, recordAction } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { settingOf } from '../../server/features.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import type { Surface } from '../../server/surface.js';
import type { Session } from '../../server/sessions.js';
import type { BenchmarkProfile } from './profiles.js';
import {
  BenchmarkRuns,
  type BenchmarkNews,
  type BenchmarkRun,
  type BenchmarkRunRow,
} from './runs.js';

export interface BenchmarksView {
  readonly profiles: readonly BenchmarkProfile[];
  /** The newest first. */
  readonly runs: readonly BenchmarkRunRow[];
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
  readonly news: { readonly benchmarks: BenchmarkNews };
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
  open: (context) => new BenchmarkRuns(context),
  topics: [{ name: 'benchmarks', access: 'operate', events: 200 }],
};

function benchmarkRoutes(app: FastifyInstance, context: ConsoleContext, runs: BenchmarkRuns): void {
  const access = 'operate';
  const idOf = (parameters: unknown): string => (parameters as { readonly id: string }).id;

  app.get(
    '/api/benchmarks',
    { config: { access, background: true } },
    async (): Promise<BenchmarksView> => {
      return { profiles: await runs.profiles.list(), runs: await runs.list() };
    },
  );

  app.post('/api/benchmarks/runs', auditedRoute(access), async (request, reply) => {
    const { profile: name } = parse(START, request.body);
    const profile = await runs.profiles.get(name);
    const session = sessionOf(request);
    const act = { action: 'benchmarks.run', target: profile.name };
    const { id } = await audited(context, request, act, async () => {
      const environment = profile.target === 'own' ? {} : await serviceOf(context, session);
      return runs.start(profile, loginName(session.user), environment);
    });
    return reply.status(202).send({ id });
  });

  app.get(
    '/api/benchmarks/runs/:id',
    { config: { access, background: true } },
    (request): Promise<BenchmarkRun> => runs.get(idOf(request.params)),
  );

  app.delete('/api/benchmarks/runs/:id', auditedRoute(access), async (request, reply) => {
    const id = idOf(request.params);
    await runs.cancel(id);
    await recordAction(context, request, { action: 'benchmarks.cancel', target: id, result: 'ok' });
    return reply.status(204).send();
  });
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
