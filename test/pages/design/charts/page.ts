import { barChart } from '../../../../console/ui/charts/bars.js';
import { beforeAfterChart } from '../../../../console/ui/charts/before-after.js';
import { ChartFigure } from '../../../../console/ui/charts/figure.js';
import { gauge } from '../../../../console/ui/charts/gauge.js';
import { heatMap } from '../../../../console/ui/charts/heat-map.js';
import { lineChart, stackedChart } from '../../../../console/ui/charts/lines.js';
import { parallelCoordinates } from '../../../../console/ui/charts/parallel.js';
import { scatterChart } from '../../../../console/ui/charts/scatter.js';
import { swimLanes } from '../../../../console/ui/charts/swim-lanes.js';
import { treeChart } from '../../../../console/ui/charts/tree.js';
import { waterfall } from '../../../../console/ui/charts/waterfall.js';
import { $, durationText, el } from '../../../../console/ui/dom.js';

/** Every kind of chart with made-up figures, to look at. */

const percent = (value: number) => `${value.toFixed(1)}%`;
const milliseconds = (value: number) => `${value.toFixed(1)} ms`;
const clock = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')}`;

/** A wave that looks like figures, and is the same each time. */
const wave = (at: number) => (Math.sin(at * 12.9898) * 43758.5453) % 1;
const noise = (at: number) => Math.abs(wave(at));

const BARS = barChart({
  columns: ['Device', 'Used'],
  max: 100,
  format: percent,
  items: [
    { name: 'd1', value: 42.1 },
    { name: 'd2', value: 87.5, tone: 'warn', note: 'above 85%' },
    { name: 'd3', value: 96.2, tone: 'crit', note: 'above 95%' },
    { name: 'd4', value: null },
  ],
});

const BEFORE_AFTER = beforeAfterChart({
  columns: ['Device', 'Before', 'After'],
  format: percent,
  items: [
    { name: 'd1', before: -3.1, after: 0.4 },
    { name: 'd2', before: 6.2, after: -0.4 },
    { name: 'd3', before: null, after: 0.2 },
  ],
});

const CANDIDATES = Array.from({ length: 24 }, (_, at) => ({
  name: `candidate ${at}`,
  x: at * 1.4,
  y: 60 / (at + 2) + noise(at) * 2,
  z: 10 + noise(at + 40) * 20,
  series: at % 2,
  marked: at === 6,
}));

const SCATTER = scatterChart({
  points: CANDIDATES,
  series: ['found', 'initial'],
  x: { title: 'Moved data', format: percent },
  y: { title: 'Unavailable partitions', format: percent },
  front: CANDIDATES.map((_, at) => at),
});

const LINES = lineChart({
  x: { title: 'Time', format: clock },
  y: { title: 'Rate', format: milliseconds },
  series: ['a', 'b'].map((name, series) => ({
    name,
    points: Array.from({ length: 20 }, (_, at) => ({
      x: at * 15,
      y: at === 9 ? null : 20 + series * 10 + noise(at + series * 20) * 8,
    })),
  })),
});

const STACKED = stackedChart({
  x: { title: 'Time', format: clock },
  y: { title: 'Requests', format: (value) => value.toFixed(0) },
  series: ['GET', 'PUT', 'DELETE'].map((name, series) => ({
    name,
    points: Array.from({ length: 20 }, (_, at) => ({
      x: at * 15,
      y: at === 12 && series === 1 ? null : 40 - series * 12 + noise(at + series * 20) * 10,
    })),
  })),
});

const HEAT = heatMap({
  rows: Array.from({ length: 12 }, (_, at) => `zone ${1 + Math.floor(at / 4)}, d${at + 1}`),
  columns: Array.from({ length: 64 }, (_, at) => String(at)),
  values: Array.from({ length: 12 }, (_, row) =>
    Array.from({ length: 64 }, (_unused, at) => (row === 7 ? null : noise(row * 64 + at))),
  ),
  titles: ['Device', 'Partition', 'share'],
});

const LANES = swimLanes({
  from: 0,
  to: 300,
  format: clock,
  legend: [
    { text: 'alive', tone: 'good' },
    { text: 'expired', tone: 'warn' },
    { text: 'reaped', tone: 'quiet' },
  ],
  lanes: Array.from({ length: 5 }, (_, at) => ({
    name: `object ${at + 1}`,
    spans: [
      { from: 0, to: 60 + at * 15, text: 'alive', tone: 'good' as const },
      {
        from: 60 + at * 15,
        to: 200 + at * 10,
        text: 'expired',
        tone: 'warn' as const,
      },
      { from: 200 + at * 10, to: null, text: 'reaped', tone: 'quiet' as const },
    ],
    marks: at === 2 ? [{ at: 150, text: 'read again', tone: 'accent' as const }] : [],
  })),
});

const GAUGE = gauge({
  name: 'Repair work',
  value: 5400,
  max: 36_000,
  format: durationText,
  zones: [
    { from: 0, tone: 'good', text: 'well' },
    { from: 7200, tone: 'warn', text: 'behind' },
    { from: 18_000, tone: 'crit', text: 'critical' },
  ],
});

const WATERFALL = waterfall({
  total: 'Repair work',
  format: durationText,
  items: [
    { name: 'Pending updates', value: 1200 },
    { name: 'Quarantined', value: 600 },
    { name: 'Missing copies', value: 3000 },
    { name: 'Imbalance', value: null },
    { name: 'Late passes', value: 600 },
  ],
});

const TREE = treeChart({
  format: milliseconds,
  root: {
    name: 'PUT',
    value: 24,
    children: [
      { name: 'auth', value: 2.5 },
      {
        name: 'body',
        value: 6,
        children: [
          { name: 'read', value: 3.5 },
          { name: 'hash', value: 2.5 },
        ],
      },
      {
        name: 'object servers',
        value: 12,
        children: [
          { name: 'write', value: 7 },
          { name: 'fsync', value: 4.5 },
          { name: 'rename', value: null },
        ],
      },
      { name: 'render', value: 1 },
    ],
  },
});

const PARALLEL = parallelCoordinates({
  axes: [
    { name: 'Moved', format: percent },
    { name: 'Unavailable', format: percent },
    { name: 'Repair', format: (value) => `${value.toFixed(0)} s` },
  ],
  lines: CANDIDATES.map(({ name, x, y, z, marked }) => ({
    name,
    values: [x, y, z],
    picked: marked,
  })),
});

/** Shows all of them. */
export async function mount() {
  const figures = [
    new ChartFigure('Bars', BARS),
    new ChartFigure('Before and after', BEFORE_AFTER),
    new ChartFigure('Gauge', GAUGE),
    new ChartFigure('Waterfall', WATERFALL),
    new ChartFigure('Scatter', SCATTER),
    new ChartFigure('Lines', LINES),
    new ChartFigure('Stacked', STACKED),
    new ChartFigure('Heat map', HEAT),
    new ChartFigure('Swim lanes', LANES),
    new ChartFigure('Tree', TREE),
    new ChartFigure('Parallel coordinates', PARALLEL),
  ];
  $('#main').append(
    el('h1', { textContent: 'Charts' }),
    el('p', {
      className: 'quiet',
      textContent: 'Chart types used on pages, with sample data.',
    }),
    el('div', { className: 'design-columns' }, ...figures.map(({ element }) => element)),
  );
}
