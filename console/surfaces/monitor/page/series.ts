import { timeAt } from '../../../ui/clock.js';
import { figure } from './units.js';
import type { Series } from '../measure.js';
import type { Unit } from '../panels/panel.js';

/** Answers of `/api/monitor/series`, as charts and tables need them. */

export type Columns = [times: number[], ...values: (number | null)[][]];

/** A series is called by the values of its labels; one without any, by its panel. */
export function nameOf({ labels }: Pick<Series, 'labels'>, title: string) {
  const values = Object.entries(labels)
    .filter(([, value]) => value !== '')
    .map(([label, value]) => {
      if (label === 'worker') return `listener ${value}`;
      return label === 'quantile' ? percentileOf(value) : value;
    });
  return values.length === 0 ? title : values.join(' · ');
}

/** A quantile as people call it: 0.99 is p99. */
function percentileOf(quantile: string) {
  const percent = Number((Number(quantile) * 100).toPrecision(6));
  return Number.isNaN(percent) ? quantile : `p${percent}`;
}

/** @returns times, then the values of each series, null where nothing is known */
export function columnsOf(series: readonly Series[]): Columns {
  const times = [...new Set(series.flatMap(({ points }) => points.map(([time]) => time)))];
  times.sort((a, b) => a - b);
  const values = series.map(({ points }) => {
    const byTime = new Map(points);
    return times.map((time) => byTime.get(time) ?? null);
  });
  return [times, ...values];
}

/**
 * Each series on top of those before it; a gap stays a gap, and lowers no series above it.
 *
 * @param hidden indexes of series
 */
export function stack([times, ...all]: Columns, hidden: ReadonlySet<number>): Columns {
  const sums = times.map(() => 0);
  const stacked = all.map((values, index) =>
    values.map((value, at) => {
      if (value === null || hidden.has(index)) return null;
      const sum = (sums[at] ?? 0) + value;
      sums[at] = sum;
      return sum;
    }),
  );
  return [times, ...stacked];
}

/** The index of the latest time with a known value; -1 for none. */
export function latestIndex([times, ...all]: Columns) {
  return times.findLastIndex((_time, at) => all.some((values) => values[at] !== null));
}

/** The values of a chart, in words. */
export function describe(title: string, names: readonly string[], columns: Columns, unit: Unit) {
  const [times, ...all] = columns;
  const latest = latestIndex(columns);
  const texts = names.map((name, index) => {
    const values = all[index] ?? [];
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${name}: no data`;
    const low = figure(Math.min(...known), unit);
    const high = figure(Math.max(...known), unit);
    return `${name}: now ${figure(values[latest], unit)}, from ${low} to ${high}`;
  });
  const first = times[0];
  const last = times.at(-1);
  const span =
    first === undefined || last === undefined
      ? ''
      : ` ${timeAt(first, 'full')} to ${timeAt(last, 'full')}.`;
  return `Chart: ${title}.${span} ${texts.join('. ')}.`;
}

/** The values of a chart as a file has them. */
export function figuresOf(names: readonly string[], [times, ...all]: Columns) {
  const rows = times.map((time, at) => [
    new Date(time * 1000).toISOString(),
    ...all.map((values) => values[at] ?? null),
  ]);
  return { head: ['time', ...names], rows };
}
