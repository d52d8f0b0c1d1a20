import { z } from 'zod';
import { readBody, type Upstream } from '../../../swift/upstream.js';
import type { Labels } from '../labels.js';
import type { Range } from '../step.js';
import { SourceError, sourceError } from './source.js';

/** The metrics store does not take a query: it is wrong, or too much. */
export class QueryRefusedError extends Error {
  override readonly name = 'QueryRefusedError';
}

export interface VectorSample {
  readonly labels: Labels;
  readonly value: number;
}

export interface MatrixSeries {
  readonly labels: Labels;
  readonly values: readonly (readonly [unixS: number, value: number])[];
}

const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 16 * 1024 * 1024;

const LABELS = z.record(z.string(), z.string());
const VALUE = z.tuple([z.number(), z.string()]);
const VECTOR = z.object({
  resultType: z.literal('vector'),
  result: z.array(z.object({ metric: LABELS, value: VALUE })),
});
const SCALAR = z.object({ resultType: z.literal('scalar'), result: VALUE });
const INSTANT = z.discriminatedUnion('resultType', [VECTOR, SCALAR]);
const MATRIX = z.object({
  resultType: z.literal('matrix'),
  result: z.array(z.object({ metric: LABELS, values: z.array(VALUE) })),
});
const ALERTS = z.object({
  alerts: z.array(
    z.object({
      labels: LABELS,
      annotations: LABELS.default({}),
      state: z.string(),
      activeAt: z.string(),
      value: z.string().optional(),
    }),
  ),
});

export type PrometheusAlert = z.infer<typeof ALERTS>['alerts'][number];

const ANSWER = z.union([
  z.object({ status: z.literal('success'), data: z.unknown() }),
  z.object({ status: z.literal('error'), errorType: z.string() }),
]);

/** The HTTP API of Prometheus (prometheus.io/docs/prometheus/latest/querying/api). */
export class PrometheusApi {
  constructor(private readonly upstream: Upstream) {}

  /** @throws SourceError @throws QueryRefusedError */
  async query(promql: string): Promise<VectorSample[]> {
    const data = shaped(INSTANT, await this.#get('query', { query: promql }));
    if (data.resultType === 'scalar') return [{ labels: {}, value: Number(data.result[1]) }];
    return data.result.map(({ metric, value }) => ({ labels: metric, value: valueOf(value[1]) }));
  }

  /** @throws SourceError @throws QueryRefusedError */
  async queryRange(promql: string, { fromS, toS, stepS }: Range): Promise<MatrixSeries[]> {
    const query = { query: promql, start: `${fromS}`, end: `${toS}`, step: `${stepS}` };
    const { result } = shaped(MATRIX, await this.#get('query_range', query));
    return result.map(({ metric, values }) => ({
      labels: metric,
      values: values.map(([time, value]) => [time, valueOf(value)] as const),
    }));
  }

  /** @throws SourceError */
  async alerts(): Promise<readonly PrometheusAlert[]> {
    return shaped(ALERTS, await this.#get('alerts', {})).alerts;
  }

  async #get(what: string, query: Readonly<Record<string, string>>): Promise<unknown> {
    try {
      const { status, body } = await this.upstream.send({
        method: 'GET',
        rawPath: `/api/v1/${what}?${new URLSearchParams(query).toString()}`,
        idleMs: TIMEOUT_MS,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = (await readBody(body, BODY_BYTES_MAX)).toString('utf8');
      return dataOf(status, text);
    } catch (error) {
      throw error instanceof QueryRefusedError ? error : sourceError(error);
    }
  }
}

/** Errors that say something of the query; others are of the store. */
const REFUSALS: ReadonlySet<string> = new Set(['bad_data', 'execution']);

function dataOf(status: number, text: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new SourceError(status === 200 ? 'invalid response' : `it answers with status ${status}`);
  }
  const answer = shaped(ANSWER, json);
  if (answer.status === 'success') return answer.data;
  const { errorType } = answer;
  if (REFUSALS.has(errorType)) throw new QueryRefusedError(errorType);
  throw new SourceError(`it answers with status ${status}`);
}

function shaped<S extends z.ZodType>(schema: S, data: unknown): z.infer<S> {
  const result = schema.safeParse(data);
  if (!result.success) throw new SourceError('invalid response');
  return result.data;
}

function valueOf(text: string): number {
  if (text === '+Inf') return Infinity;
  return text === '-Inf' ? -Infinity : Number(text);
}
