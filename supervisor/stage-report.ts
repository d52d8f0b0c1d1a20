import { stageMetricName, STAGES_MAX_METRIC } from '../src/telemetry/stage-metrics.js';
import { STAGE_NAMES, UNATTRIBUTED } from '../src/telemetry/stage-clock.js';
import type { MetricSnapshot } from '../src/telemetry/collected.js';

/** The answer of `/recon/stage`: the times of the stages, of all listeners together. */
export interface StageReport {
  readonly v: 1;
  readonly service: 'gateway';
  readonly since_unix_s: number;
  readonly paths: Readonly<Record<string, PathReport>>;
}

export interface PathReport {
  /** The number of requests whose stages were measured. */
  readonly requests: number;
  readonly stages: readonly StageEntry[];
}

export interface StageEntry {
  readonly id: string;
  readonly parent: 'proxy';
  readonly count: number;
  readonly sum_s: number;
  readonly max_s: number;
  /** Upper bounds in seconds, each with the observations that are not above it. */
  readonly buckets: readonly (readonly [le: number, count: number])[];
}

interface Values {
  count: number;
  sum: number;
  readonly buckets: [number, number][];
}

/** @param metrics - the sums of all listeners */
export function stageReport(metrics: MetricSnapshot, since: Date): StageReport {
  const longest = longestOf(metrics);
  const paths: Record<string, { requests: number; stages: StageEntry[] }> = {};
  for (const stage of STAGE_NAMES) {
    const metric = metrics.find(({ name }) => name === stageMetricName(stage));
    for (const [path, { count, sum, buckets }] of byPath(metric?.values ?? [])) {
      const report = (paths[path] ??= { requests: 0, stages: [] });
      if (stage === UNATTRIBUTED) report.requests = count;
      const max = longest.get(`${path} ${stage}`) ?? 0;
      report.stages.push({ id: stage, parent: 'proxy', count, sum_s: sum, max_s: max, buckets });
    }
  }
  const sinceS = Math.floor(since.getTime() / 1000);
  return { v: 1, service: 'gateway', since_unix_s: sinceS, paths };
}

type MetricValues = MetricSnapshot[number]['values'];

function byPath(values: MetricValues): Map<string, Values> {
  const found = new Map<string, Values>();
  for (const value of values) {
    // prom-client's types leave the name of a histogram's part out.
    const { metricName = '' } = value as unknown as { readonly metricName?: string };
    const path = String(value.labels.path);
    let entry = found.get(path);
    if (entry === undefined) found.set(path, (entry = { count: 0, sum: 0, buckets: [] }));
    if (metricName.endsWith('_count')) entry.count = value.value;
    else if (metricName.endsWith('_sum')) entry.sum = value.value;
    else if (value.labels.le !== '+Inf') entry.buckets.push([Number(value.labels.le), value.value]);
  }
  return found;
}

/** The longest times, by `path stage`. */
function longestOf(metrics: MetricSnapshot): Map<string, number> {
  const metric = metrics.find(({ name }) => name === STAGES_MAX_METRIC);
  return new Map(
    (metric?.values ?? []).map(({ labels, value }) => [
      `${String(labels.path)} ${String(labels.stage)}`,
      value,
    ]),
  );
}
