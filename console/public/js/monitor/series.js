import { figure, timeAt } from './units.js';

/** Answers of `/api/monitor/series`, as charts and tables need them. */

/** A series is called by the values of its labels; one without any, by its panel. */
export function nameOf({ labels }, title) {
  const values = Object.values(labels).filter((value) => value !== '');
  return values.length === 0 ? title : values.join(' · ');
}

/** @returns columns: times, then the values of each series, null where nothing is known */
export function columnsOf(series) {
  const times = [...new Set(series.flatMap(({ points }) => points.map(([time]) => time)))];
  times.sort((a, b) => a - b);
  const values = series.map(({ points }) => {
    const byTime = new Map(points);
    return times.map((time) => byTime.get(time) ?? null);
  });
  return [times, ...values];
}

/** Each series on top of those before it; a gap stays a gap, and lowers no series above it. */
export function stack([times, ...all], hidden) {
  const sums = times.map(() => 0);
  const stacked = all.map((values, index) =>
    values.map((value, at) => {
      if (value === null || hidden.has(index)) return null;
      sums[at] += value;
      return sums[at];
    }),
  );
  return [times, ...stacked];
}

/** The index of the latest time with a known value; -1 for none. */
export function latestIndex([times, ...all]) {
  return times.findLastIndex((_time, at) => all.some((values) => values[at] !== null));
}

/** What a chart shows, in words. */
export function describe(title, names, columns, unit) {
  const [times, ...all] = columns;
  const latest = latestIndex(columns);
  const texts = names.map((name, index) => {
    const known = all[index].filter((value) => value !== null);
    if (known.length === 0) return `${name}: nothing known`;
    const low = figure(Math.min(...known), unit);
    const high = figure(Math.max(...known), unit);
    return `${name}: now ${figure(all[index][latest], unit)}, from ${low} to ${high}`;
  });
  const span =
    times.length === 0 ? '' : ` ${timeAt(times[0], 'full')} to ${timeAt(times.at(-1), 'full')}.`;
  return `Chart: ${title}.${span} ${texts.join('. ')}.`;
}

const csvField = (value) => {
  const text = String(value ?? '');
  // A spreadsheet takes some beginnings for formulas.
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export function csvOf(names, [times, ...all]) {
  const rows = [['time', ...names]];
  times.forEach((time, at) => {
    rows.push([new Date(time * 1000).toISOString(), ...all.map((values) => values[at])]);
  });
  return rows.map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}
