import { spreadOf } from '../measure/statistics.js';
import { micros } from '../output/format.js';
import type { Line, LineChart } from '../output/report/line-chart.js';
import { summarise } from '../output/summary.js';
import type { ScaleResults } from './results.js';

/** A chart with the name of its file. */
export interface NamedChart {
  readonly name: string;
  readonly chart: LineChart;
}

export function chartsOf({ listeners, growth }: ScaleResults): NamedChart[] {
  const grown = growth.map(({ study, title, unit, curves }): NamedChart => {
    const lines = curves.map(({ operation, points }): Line => ({
      label: operation,
      points: points.flatMap(({ size, cpuMicrosPerOp }) => {
        const spread = spreadOf(cpuMicrosPerOp);
        if (spread === undefined) return [];
        return [{ x: size, y: spread.median, from: spread.min, to: spread.max }];
      }),
    }));
    const chart = {
      title: `${title}: CPU of the service per operation`,
      note: 'Median of the slices, and from the least to the most. Flat is what it should be.',
      ...{ xLabel: unit, lines, format: micros },
    };
    return { name: study, chart };
  });
  return [...grown, ...(listeners.length > 1 ? [listenersChart(listeners)] : [])];
}

function listenersChart(runs: ScaleResults['listeners']): NamedChart {
  const names = [...new Set(runs.flatMap(({ rows }) => rows.map(({ row }) => row)))];
  const lines = names.map((label): Line => ({
    label,
    points: runs.flatMap(({ listeners, rows }) => {
      const row = rows.find((candidate) => candidate.row === label);
      const cpu = row === undefined ? undefined : summarise(row).cpuMicros;
      if (cpu === undefined) return [];
      return [{ x: listeners, y: cpu.median, from: cpu.min, to: cpu.max }];
    }),
  }));
  const chart = {
    title: 'CPU of the service per operation, by number of listeners',
    note: 'What listeners take from each other: flat is what it should be. Rates are below.',
    ...{ xLabel: 'listeners', lines, format: micros },
  };
  return { name: 'listeners', chart };
}
