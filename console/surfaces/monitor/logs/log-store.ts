import { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../../../../src/config/problem.js';
import type { ConsoleOptions } from '../../../config/load.js';
import type { AdminAnswer, AdminClient } from '../../../server/admin-client.js';
import { readBody, type Upstream } from '../../../swift/upstream.js';
import { expectOk, sourceError } from '../sources/source.js';
import type { LogLabelNames } from './logql.js';

export interface LogEntry {
  readonly unixS: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly line: string;
}

/** Lines, newest first, and how far back there are any. */
export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** The time from which on no line is missing; null if it is unknown. */
  readonly completeFromS: number | null;
  /** The time by the clock of the log's server; null if it is unknown. */
  readonly nowS: number | null;
}

export interface LogQuery {
  readonly query: string;
  readonly fromS: number;
  readonly toS: number;
  readonly limit: number;
}

/** Loki's own limit for one query. */
export const LINES_MAX = 5000;

const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 32 * 1024 * 1024;
const VALUES_MAX = 1000;

/** Only the admin port sends this. */
const STATS = z
  .object({ tail: z.object({ completeFromUnixMs: z.number(), nowUnixMs: z.number() }) })
  .optional()
  .catch(undefined);
const LABELS = z.record(z.string(), z.string());
// Newer Lokis add a third element behind time and line.
const LINE = z.tuple([z.string().regex(/^\d{1,20}$/), z.string()]).rest(z.unknown());
const STREAM = z.object({ stream: LABELS, values: z.array(LINE) });
const COUNT = z.object({ metric: LABELS, values: z.array(z.tuple([z.number(), z.string()])) });
const RANGE = answerOf(
  z.object({ resultType: z.literal('streams'), result: z.array(STREAM), stats: STATS }),
);
const COUNTS = answerOf(
  z.object({ resultType: z.literal('matrix'), result: z.array(COUNT), stats: STATS }),
);
const VALUES = answerOf(z.array(z.string()).nullish());

function answerOf<Data extends z.ZodType>(data: Data) {
  return z.object({ status: z.literal('success'), data });
}

/** Sends a GET to a log store. @throws UpstreamError */
type LogGet = (rawPath: string, signal: AbortSignal) => Promise<AdminAnswer>;

/** The HTTP API of Loki, of which the gateway's admin port has a part. */
export class LogStore {
  constructor(
    private readonly get: LogGet,
    readonly source: 'loki' | 'embedded',
    readonly names: LogLabelNames,
  ) {}

  /** @returns the newest lines that fit @throws SourceError */
  async range({ query, fromS, toS, limit }: LogQuery): Promise<LogPage> {
    const { data } = await this.#ask(RANGE, 'query_range', {
      query,
      start: nanoseconds(fromS),
      end: nanoseconds(toS),
      limit: `${limit}`,
      direction: 'backward',
    });
    const entries = data.result.flatMap(({ stream, values }) =>
      values.map(([ns, line]) => ({ ns: BigInt(ns), labels: stream, line })),
    );
    // Streams come in any order; what they say in one millisecond is told apart by nanoseconds.
    entries.sort((a, b) => Number(b.ns - a.ns));
    return {
      entries: entries.map(({ ns, ...entry }) => ({ unixS: secondsOf(ns), ...entry })),
      ...tailTimes(data.stats),
    };
  }

  /**
   * @param query - of LogQL, that counts
   * @returns for each set of labels the values at the times from `fromS` on, in steps; and from when
   *   on no line is missing, null if it is unknown
   * @throws SourceError
   */
  async counts(query: string, range: { fromS: number; toS: number; stepS: number }) {
    const { fromS, toS, stepS } = range;
    const { data } = await this.#ask(COUNTS, 'query_range', {
      query,
      start: nanoseconds(fromS),
      end: nanoseconds(toS),
      step: `${stepS}`,
    });
    const series = data.result.map(({ metric, values }) => ({
      labels: metric,
      values: values.map(([unixS, value]) => [unixS, Number(value)] as const),
    }));
    return { series, completeFromS: tailTimes(data.stats).completeFromS };
  }

  /** @throws SourceError */
  async valuesOf(label: string): Promise<string[]> {
    const { data } = await this.#ask(VALUES, `label/${label}/values`, {});
    return (data ?? []).slice(0, VALUES_MAX);
  }

  async #ask<S extends z.ZodType>(
    schema: S,
    what: string,
    query: Readonly<Record<string, string>>,
  ): Promise<z.infer<S>> {
    try {
      const path = `/loki/api/v1/${what}?${new URLSearchParams(query).toString()}`;
      const { status, text } = await this.get(path, AbortSignal.timeout(TIMEOUT_MS));
      expectOk(status);
      return schema.parse(JSON.parse(text));
    } catch (error) {
      throw sourceError(error);
    }
  }
}

/** The labels of the admin port's log tail, as supervisor/log-tail.ts writes them. */
const TAIL_LABELS: LogLabelNames = {
  service: 'process',
  node: 'node',
  level: 'level',
  worker: 'worker',
};
/** The names of journald's fields in promtail's own examples. */
const LOKI_LABELS: LogLabelNames = {
  service: 'unit',
  node: 'hostname',
  level: 'level',
  worker: 'worker',
};

export function tailOf(admin: Pick<AdminClient, 'get'>): LogStore {
  return new LogStore((path, signal) => admin.get(path, signal), 'embedded', TAIL_LABELS);
}

export function lokiOf(upstream: Upstream, { logsLabels }: Pick<ConsoleOptions, 'logsLabels'>) {
  const get: LogGet = async (rawPath, signal) => {
    const answer = await upstream.send({ method: 'GET', rawPath, signal, idleMs: TIMEOUT_MS });
    const bytes = await readBody(answer.body, BODY_BYTES_MAX);
    return { status: answer.status, text: bytes.toString('utf8') };
  };
  return new LogStore(get, 'loki', { ...LOKI_LABELS, ...checkedLabels(logsLabels) });
}

/** They become part of queries as they are. @throws ConfigError */
function checkedLabels(labels: Readonly<Record<string, string>>): Partial<LogLabelNames> {
  const problems = Object.entries(labels).flatMap(([meaning, name]): ConfigProblem[] => {
    const key = `logs_labels.${meaning}`;
    if (!Object.hasOwn(LOKI_LABELS, meaning)) {
      return [{ source: 'file', key, expected: `one of ${Object.keys(LOKI_LABELS).join(', ')}` }];
    }
    if (/^[A-Za-z_]\w*$/.test(name)) return [];
    return [{ source: 'file', key, given: name, expected: 'the name of a label' }];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return labels;
}

/** Null where the log store does not say. */
function tailTimes(stats: z.infer<typeof STATS>) {
  if (stats === undefined) return { completeFromS: null, nowS: null };
  const { completeFromUnixMs, nowUnixMs } = stats.tail;
  return { completeFromS: completeFromUnixMs / 1e3, nowS: nowUnixMs / 1e3 };
}

/** Milliseconds are what a number of seconds holds without noise: the one that a line is of. */
function secondsOf(ns: bigint): number {
  return Number(ns / 1_000_000n) / 1e3;
}

/** A text, because it has more digits than a number. */
function nanoseconds(unixS: number): string {
  return `${Math.round(unixS * 1000)}000000`;
}
