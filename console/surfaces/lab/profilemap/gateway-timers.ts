import { z } from 'zod';
import type { AdminClient } from '../../../server/admin-client.js';
import { readBody, type Upstream } from '../../../swift/upstream.js';
import { together, type Timer, type Timers } from './timers.js';

/**
 * The answer to `/recon/stage`: of the gateway's admin port (supervisor/stage-report.ts), or of a
 * proxy with the filter, where `id` is that of the counters.
 */
const REPORT = z.object({
  v: z.literal(1),
  service: z.string(),
  id: z.string().max(64).optional(),
  paths: z.record(
    z.string(),
    z.object({
      stages: z.array(
        z.object({
          id: z.string(),
          count: z.number(),
          sum_s: z.number(),
          buckets: z.array(z.tuple([z.number(), z.number()])),
        }),
      ),
    }),
  ),
});

export type StageReport = z.infer<typeof REPORT>;

/** The name of a stage among {@link Timers}. */
export function gatewayTimer(path: string, stage: string): string {
  return `gateway.${path}.${stage}`;
}

/** @throws UpstreamError; ZodError and SyntaxError for an answer that is none */
export async function readStageReport(admin: Pick<AdminClient, 'get'>): Promise<Timers> {
  const { status, text } = await admin.get('/recon/stage');
  if (status !== 200) throw new Error(`the admin port answers ${status}`);
  return timersOfReport(parseStageReport(text), gatewayTimer);
}

/** @throws ZodError and SyntaxError for a text that is none */
export function parseStageReport(text: string): StageReport {
  return REPORT.parse(JSON.parse(text));
}

/** @param nameOf - what a stage of a path is called among {@link Timers} */
export function timersOfReport(
  { paths }: StageReport,
  nameOf: (path: string, stage: string) => string,
): Timers {
  const timers = new Map<string, Timer>();
  for (const [path, { stages }] of Object.entries(paths)) {
    for (const { id, count, sum_s: sumS, buckets } of stages) {
      timers.set(nameOf(path, id), {
        count,
        sumMs: 1000 * sumS,
        buckets: [
          ...buckets.map(([le, below]) => ({ le: 1000 * le, count: below })),
          { le: Infinity, count },
        ],
      });
    }
  }
  return timers;
}

const BODY_BYTES_MAX = 16 * 1024 * 1024;
const IDLE_MS = 10_000;
const QUERY = '{__name__=~"[a-z0-9_]+_stage_[a-z0-9_]+_seconds_(sum|count|bucket)"}';
const SERIES = /_stage_([a-z0-9_]+)_seconds_(sum|count|bucket)$/;
const ANSWER = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        value: z.tuple([z.number(), z.string()]),
      }),
    ),
  }),
});

/**
 * The same from Prometheus: whatever is named `<prefix>_stage_<stage>_seconds`, of all hosts.
 * @throws UpstreamError; ZodError and SyntaxError for an answer that is none
 */
export async function readStageMetrics(prometheus: Upstream): Promise<Timers> {
  const { status, body } = await prometheus.send({
    method: 'GET',
    rawPath: `/api/v1/query?query=${encodeURIComponent(QUERY)}`,
    idleMs: IDLE_MS,
  });
  const text = (await readBody(body, BODY_BYTES_MAX)).toString('utf8');
  if (status !== 200) throw new Error(`the metrics store answers ${status}`);
  const parts = new Map<string, { count: number; sumMs: number; buckets: [number, number][] }>();
  for (const { metric, value } of ANSWER.parse(JSON.parse(text)).data.result) {
    const [, stage, part] = SERIES.exec(metric.__name__ ?? '') ?? [];
    if (stage === undefined || metric.path === undefined) continue;
    const name = gatewayTimer(metric.path, stage);
    const known = parts.get(name) ?? { count: 0, sumMs: 0, buckets: [] };
    parts.set(name, known);
    const figure = Number(value[1]);
    if (part === 'count') known.count += figure;
    else if (part === 'sum') known.sumMs += 1000 * figure;
    else known.buckets.push([metric.le === '+Inf' ? Infinity : 1000 * Number(metric.le), figure]);
  }
  const timers = [...parts].map(([name, { buckets, ...rest }]) => {
    const each = buckets.map(([le, count]) => ({ count: 0, sumMs: 0, buckets: [{ le, count }] }));
    return [name, { ...rest, buckets: together(each).buckets }] as const;
  });
  return new Map(timers);
}
