import { LogQueryError, parseLogQuery } from './log-query.js';
import type { LogEntry, LogLabels, LogTail } from './log-tail.js';

/** An answer in the shape that Grafana Loki's has. */
export interface LokiAnswer {
  readonly status: number;
  /** JSON, or the text of a mistake. */
  readonly body: unknown;
}

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 5000;
const HOUR_MS = 3_600_000;

/** `GET /loki/api/v1/query_range`: the newest lines that fit, or with `direction=forward` the oldest. */
export function queryRange(tail: LogTail, query: URLSearchParams, nowMs: number): LokiAnswer {
  try {
    const asked = query.get('query') ?? '';
    const volume = VOLUME.exec(asked);
    if (volume !== null) return counts(tail, query, volume, nowMs);
    const isWanted = parseLogQuery(asked);
    const end = timeOf(query.get('end'), nowMs);
    const start = timeOf(query.get('start'), end - HOUR_MS);
    const limit = limitOf(query.get('limit'));
    if (start > end) throw new LogQueryError('start: expected a time that is not after end');
    const forward = isForward(query.get('direction'));
    const found = [...tail.entries()].filter(
      (entry) => entry.unixMs >= start && entry.unixMs < end && isWanted(entry),
    );
    // Children's lines arrive in blocks.
    found.sort((a, b) => a.unixMs - b.unixMs);
    const shown = forward ? found.slice(0, limit) : found.reverse().slice(0, limit);
    const stats = statsOf(tail, nowMs);
    const data = { resultType: 'streams', result: streamsOf(shown), stats };
    return { status: 200, body: { status: 'success', data } };
  } catch (error) {
    if (!(error instanceof LogQueryError)) throw error;
    return { status: 400, body: `${error.message}\n` };
  }
}

/** The one kind of query that counts: lines of the last seconds before each step, by a label. */
const VOLUME = /^sum by \(([A-Za-z_]\w*)\) \(count_over_time\((\{.*)\[(\d{1,8})s\]\)\)$/s;
/** Loki's own limit for the points of a series. */
const STEPS_MAX = 11_000;

/** @throws LogQueryError */
function counts(
  tail: LogTail,
  query: URLSearchParams,
  [, label = '', selector = '', range = '0']: RegExpExecArray,
  nowMs: number,
): LokiAnswer {
  const isWanted = parseLogQuery(selector);
  const end = timeOf(query.get('end'), nowMs);
  const start = timeOf(query.get('start'), end - HOUR_MS);
  const step = Number(query.get('step') ?? '60') * 1000;
  const steps = Math.floor((end - start) / step) + 1;
  if (!(step > 0) || !(steps >= 1) || steps > STEPS_MAX) {
    throw new LogQueryError(`step: expected seconds for at most ${STEPS_MAX} steps`);
  }
  if (Number(range) * 1000 !== step) {
    throw new LogQueryError('step: expected the range of count_over_time');
  }
  const found = new Map<string, Map<number, number>>();
  for (const entry of tail.entries()) {
    // A line counts at the end of the step that it falls into.
    const at = Math.ceil((entry.unixMs - start) / step);
    if (at < 0 || at >= steps || !isWanted(entry)) continue;
    const value = new Map(Object.entries(shownLabels(entry))).get(label) ?? '';
    const series = found.get(value) ?? new Map<number, number>();
    series.set(at, (series.get(at) ?? 0) + 1);
    found.set(value, series);
  }
  const result = [...found].map(([value, series]) => ({
    metric: value === '' ? {} : { [label]: value },
    values: [...series]
      .sort(([a], [b]) => a - b)
      .map(([at, count]) => [(start + at * step) / 1000, String(count)]),
  }));
  const data = { resultType: 'matrix', result, stats: statsOf(tail, nowMs) };
  return { status: 200, body: { status: 'success', data } };
}

/** A section of its own, as Loki's statistics have them: older lines are missing whatever is asked. */
function statsOf({ completeFromUnixMs }: LogTail, nowUnixMs: number) {
  return { tail: { completeFromUnixMs, nowUnixMs } };
}

/** `GET /loki/api/v1/labels` */
export function labels(tail: LogTail): LokiAnswer {
  const names = new Set<string>();
  for (const entry of tail.entries())
    for (const name of Object.keys(shownLabels(entry))) names.add(name);
  return success([...names].sort());
}

/** `GET /loki/api/v1/label/<name>/values` */
export function labelValues(tail: LogTail, name: string): LokiAnswer {
  const values = new Set<string>();
  for (const entry of tail.entries()) {
    const shown = new Map(Object.entries(shownLabels(entry)));
    const value = shown.get(name);
    if (value !== undefined) values.add(value);
  }
  return success([...values].sort());
}

function success(data: readonly string[]): LokiAnswer {
  return { status: 200, body: { status: 'success', data } };
}

/** One for each set of labels; lines in the order in which they are given. */
function streamsOf(entries: readonly LogEntry[]) {
  const streams = new Map<string, { stream: Partial<LogLabels>; values: [string, string][] }>();
  for (const entry of entries) {
    const stream = shownLabels(entry);
    const key = JSON.stringify(stream);
    let found = streams.get(key);
    if (found === undefined) streams.set(key, (found = { stream, values: [] }));
    found.values.push([`${entry.unixMs}000000`, entry.line]);
  }
  return [...streams.values()];
}

/** Loki has no empty labels. */
function shownLabels({ labels }: LogEntry): Partial<LogLabels> {
  const { worker, ...others } = labels;
  return worker === '' ? others : labels;
}

/** @param text - seconds, with or without a fraction, nanoseconds, or RFC 3339, as Loki takes them */
function timeOf(text: string | null, otherwise: number): number {
  if (text === null || text === '') return otherwise;
  if (/^\d{1,10}(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  const time = /^\d{16,19}$/.test(text) ? Number(text.slice(0, -6)) : Date.parse(text);
  if (Number.isNaN(time)) throw new LogQueryError(`not a time: ${text}`);
  return time;
}

/** Like Loki, takes the direction in capitals or not. */
function isForward(text: string | null): boolean {
  const direction = (text ?? 'backward').toLowerCase();
  if (direction !== 'forward' && direction !== 'backward') {
    throw new LogQueryError(`direction: got ${text}, expected forward or backward`);
  }
  return direction === 'forward';
}

function limitOf(text: string | null): number {
  if (text === null) return LIMIT_DEFAULT;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    throw new LogQueryError(`limit: got ${text}, expected an integer from 1 to ${LIMIT_MAX}`);
  }
  return limit;
}
