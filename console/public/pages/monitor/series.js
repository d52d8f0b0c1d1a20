import { figure, timeAt } from './units.js';

/**
 * @typedef {import('../../../surfaces/monitor/measure.js').Series} Series
 * @typedef {[times: number[], ...values: (number | null)[][]]} Columns
 * @typedef {import('./units.js').Unit} Unit
 */

/** Answers of `/api/monitor/series`, as charts and tables need them. */

/**
 * A series is called by the values of its labels; one without any, by its panel.
 *
 * @param {Pick<Series, 'labels'>} series
 * @param {string} title
 */
export function nameOf({ labels }, title) {
  const values = Object.entries(labels)
    .filter(([, value]) => value !== '')
    .map(([label, value]) => {
      if (label === 'worker') return `listener ${value}`;
      return label === 'quantile' ? percentileOf(value) : value;
    });
  return values.length === 0 ? title : values.join(' · ');
}

/**
 * A quantile as people call it: 0.99 is p99.
 *
 * @param {string} quantile
 */
function percentileOf(quantile) {
  const percent = Number((Number(quantile) * 100).toPrecision(6));
  return Number.isNaN(percent) ? quantile : `p${percent}`;
}

/**
 * @param {readonly Series[]} series
 * @returns {Columns} times, then the values of each series, null where nothing is known
 */
export function columnsOf(series) {
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
 * @param {Columns} columns
 * @param {ReadonlySet<number>} hidden indexes of series
 * @returns {Columns}
 */
export function stack([times, ...all], hidden) {
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

/**
 * The index of the latest time with a known value; -1 for none.
 *
 * @param {Columns} columns
 */
export function latestIndex([times, ...all]) {
  return times.findLastIndex((_time, at) => all.some((values) => values[at] !== null));
}

/**
 * What a chart shows, in words.
 *
 * @param {string} title
 * @param {readonly string[]} names
 * @param {Columns} columns
 * @param {Unit} unit
 */
export function describe(title, names, columns, unit) {
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

/** @param {string | number | null | undefined} value */
const csvField = (value) => {
  const text = String(value ?? '');
  // A spreadsheet takes some beginnings for formulas.
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/**
 * @param {readonly string[]} names
 * @param {Columns} columns
 */
export function csvOf(names, [times, ...all]) {
  /** @type {(string | number | null | undefined)[][]} */
  const rows = [['time', ...names]];
  times.forEach((time, at) => {
    rows.push([new Date(time * 1000).toISOString(), ...all.map((values) => values[at])]);
  });
  return rows.map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}
