import { lineName } from '../comparisons.js';
import { micros, millis, significant } from '../format.js';
import type { Results, RowResult } from '../results.js';
import { summarise } from '../summary.js';
import { renderChart, type ChartRow, type Mark } from './chart.js';

/** CPU, rate and latency of every row, with all targets beside each other. */
export function chartsOf(results: Results): string[] {
  const charts = [
    {
      title: 'CPU of the server per operation',
      note: 'Median of the slices, and from the least to the most. Less is better.',
      rows: chartRows(results, cpuMark),
      format: micros,
    },
    {
      title: 'Operations per second',
      note: 'Median of the slices, and from the least to the most. More is better; what others on the machine do counts in.',
      rows: chartRows(results, rateMark),
      format: significant,
    },
    {
      title: 'Latency in milliseconds',
      note: 'p99, and from p50 to p99.9, over all slices. Less is better.',
      rows: chartRows(results, latencyMark),
      format: millis,
    },
  ];
  return charts.filter(({ rows }) => rows.some((row) => row.marks.length > 0)).map(renderChart);
}

type Measure = (row: RowResult) => Omit<Mark, 'series'> | undefined;

function chartRows({ rows, targets }: Results, measure: Measure): ChartRow[] {
  const labels = [...new Set(rows.map(lineName))];
  return labels.map((label) => ({
    label,
    marks: rows
      .filter((row) => lineName(row) === label)
      .flatMap((row) => {
        const mark = measure(row);
        const series = targets.findIndex(({ name }) => name === row.target);
        return mark === undefined ? [] : [{ ...mark, series: Math.max(0, series) % 6 }];
      }),
  }));
}

const cpuMark: Measure = (row) => {
  const { cpuMicros: cpu } = summarise(row);
  if (cpu === undefined) return undefined;
  const title = `${row.target}: ${micros(cpu.median)}, from ${micros(cpu.min)} to ${micros(cpu.max)}`;
  return { value: cpu.median, from: cpu.min, to: cpu.max, title };
};

const rateMark: Measure = (row) => {
  const { opsPerS: rate } = summarise(row);
  if (rate === undefined) return undefined;
  const range = `from ${significant(rate.min)} to ${significant(rate.max)}`;
  const title = `${row.target}: ${significant(rate.median)} per second, ${range}`;
  return { value: rate.median, from: rate.min, to: rate.max, title };
};

const latencyMark: Measure = ({ target, latencyMs }) => {
  if (latencyMs === undefined) return undefined;
  const { p50, p99, p999 } = latencyMs;
  const title = `${target}: p50 ${millis(p50)} ms, p99 ${millis(p99)} ms, p99.9 ${millis(p999)} ms`;
  return { value: p99, from: p50, to: p999, title };
};
