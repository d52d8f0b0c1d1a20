import { ApiError } from '../../server/api-error.js';
import type { Addresses } from './addresses.js';
import { keptStepS } from './history/history.js';
import { spanS, RESOLUTIONS } from './history/tier.js';
import type { Series } from './measure.js';
import type { Panel } from './panels/panel.js';
import type { Assignment } from './panels/panels.js';
import {
  QueryRefusedError,
  type MatrixSeries,
  type PrometheusApi,
} from './sources/prometheus-api.js';
import { SourceError } from './sources/source.js';
import { rangeOf, timesOf, type Range } from './step.js';
import { isoTime, type Watch } from './watch.js';

export interface ChartOptions {
  readonly watch: Watch;
  readonly prometheus: PrometheusApi | undefined;
  readonly addresses: Addresses;
  readonly intervalS: number;
  readonly now: () => number;
}

interface Found {
  readonly series: readonly Series[];
  /** The parts that are not shown, for people. */
  readonly missing: readonly string[];
}

/** A chart as the page has it. */
export interface ChartView extends Found {
  readonly panel: string;
  readonly unit: string;
  readonly kind: string;
  readonly from_unix_s: number;
  readonly to_unix_s: number;
  readonly step_s: number;
  readonly source: 'prometheus' | 'embedded';
}

/** As many series as people can tell apart, and pages draw. */
const SERIES_MAX = 100;

/**
 * The series of a panel.
 * @throws ApiError panel_misconfigured when the metrics store refuses its query
 */
export async function chartOf(
  panel: Panel,
  assignment: Assignment,
  { fromS, toS }: { readonly fromS: number; readonly toS: number },
  options: ChartOptions,
): Promise<ChartView> {
  const isQueried = assignment.source === 'prometheus';
  const { intervalS, now } = options;
  const kept = isQueried ? undefined : { intervalS, keptStepS: keptStepS(now() / 1000 - fromS) };
  const range = rangeOf(fromS, toS, kept);
  const { series, missing } = await find(panel, assignment, range, options);
  const cut =
    series.length > SERIES_MAX ? [`${series.length - SERIES_MAX} more series are not shown`] : [];
  return {
    panel: panel.id,
    unit: panel.unit,
    kind: panel.kind,
    from_unix_s: range.fromS,
    to_unix_s: range.toS,
    step_s: range.stepS,
    source: isQueried ? 'prometheus' : 'embedded',
    series: series.slice(0, SERIES_MAX),
    missing: [...missing, ...cut],
  };
}

async function find(
  panel: Panel,
  assignment: Assignment,
  range: Range,
  options: ChartOptions,
): Promise<Found> {
  if (assignment.source === undefined) return { series: [], missing: [assignment.reason] };
  const { promql } = assignment;
  if (promql === undefined || options.prometheus === undefined) {
    return kept(panel, range, options);
  }
  try {
    const found = await options.prometheus.queryRange(promql, range);
    const series = found.map((one) => ({
      labels: options.addresses.maskLabels(one.labels),
      points: pointsOf(one, range),
    }));
    return { series, missing: series.length === 0 ? ['the metrics store has no such series'] : [] };
  } catch (error) {
    if (error instanceof QueryRefusedError) {
      throw new ApiError(
        'panel_misconfigured',
        'The metrics store rejected the query of this panel. Check metrics_queries.',
        { panel: panel.id },
      );
    }
    if (!(error instanceof SourceError)) throw error;
    return { series: [], missing: [`the metrics store: ${error.reason}`] };
  }
}

function kept(panel: Panel, range: Range, { watch, now }: ChartOptions): Found {
  const nowMs = now();
  const series = watch.history.range(panel.id, range, nowMs);
  const because = watch.unknownBecause(panel.id);
  const missing = because === undefined ? [] : [because];
  const longest = Math.max(...RESOLUTIONS.map(spanS));
  const first = firstTime(series);
  if (range.fromS < nowMs / 1000 - longest) {
    missing.push(`older than ${longest / 86_400} days is not kept`);
  } else if (first !== undefined && first > range.fromS + range.stepS) {
    missing.push(`before ${isoTime(first * 1000)} nothing was recorded`);
  } else if (series.length === 0 && because === undefined) {
    missing.push('no data in this time range');
  }
  if (watch.history.dropped > 0) missing.push('there are more series than are kept');
  return { series, missing };
}

function firstTime(series: readonly Series[]): number | undefined {
  const times = series.flatMap(({ points }) => {
    const time = points.find(([, value]) => value !== null)?.[0];
    return time === undefined ? [] : [time];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Points at all times of the range: a time without a value is a gap. */
function pointsOf({ values }: MatrixSeries, range: Range): Series['points'] {
  const known = new Map(values);
  return timesOf(range).map((time) => {
    const value = known.get(time);
    return [time, value === undefined || !Number.isFinite(value) ? null : value];
  });
}
