import { shapeOf } from './chart.js';
import { escapeHtml } from './escape.js';
import { logScale } from './scale.js';

export interface LinePoint {
  readonly x: number;
  readonly y: number;
  readonly from: number;
  readonly to: number;
}

export interface Line {
  readonly label: string;
  readonly points: readonly LinePoint[];
}

export interface LineChart {
  readonly title: string;
  readonly note: string;
  readonly xLabel: string;
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
}

const WIDTH = 960;
const HEIGHT = 380;
const LEFT = 80;
/** Room for the names of the lines, at their ends. */
const RIGHT = 170;
const TOP = 14;
const BOTTOM = 44;
/** Names of lines that end in one place are put this far apart. */
const LABEL_HEIGHT = 15;

/** Lines over two logarithmic axes: what is flat stays flat, what grows with x rises. */
export function renderLineChart(chart: LineChart): string {
  return `<section class="chart"><h2>${escapeHtml(chart.title)}</h2><p>${escapeHtml(chart.note)}</p>
${lineChartSvg(chart, '')}</section>`;
}

/** @param style for a file that stands alone */
export function lineChartSvg({ title, xLabel, lines, format }: LineChart, style: string): string {
  const all = lines.flatMap(({ points }) => points);
  const across = logScale(all.map(({ x }) => x));
  const up = logScale(all.flatMap(({ from, to }) => [from, to]));
  const bottom = HEIGHT - BOTTOM;
  const x = (value: number) => LEFT + across.at(value) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => bottom - up.at(value) * (bottom - TOP);
  const grid = [
    ...up.ticks.map((tick) => {
      const at = y(tick).toFixed(1);
      return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/><text x="${LEFT - 8}" y="${at}" dy="4" text-anchor="end">${escapeHtml(format(tick))}</text>`;
    }),
    ...[...new Set(all.map((point) => point.x))].map(
      (tick) =>
        `<text class="tick" x="${x(tick).toFixed(1)}" y="${bottom + 18}">${tick.toLocaleString('en')}</text>`,
    ),
    `<text class="tick" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}">${escapeHtml(xLabel)}</text>`,
  ];
  const labels = labelPlaces(lines.map(({ points }) => y(points.at(-1)?.y ?? 0)));
  const drawn = lines.map(({ label, points }, i) => {
    const path = points.map((p) => `${x(p.x).toFixed(1)},${y(p.y).toFixed(1)}`).join(' ');
    const marks = points.map(
      (p) =>
        `<g><title>${escapeHtml(`${label}, ${p.x}: ${format(p.y)}`)}</title><line class="span" x1="${x(p.x).toFixed(1)}" x2="${x(p.x).toFixed(1)}" y1="${y(p.from).toFixed(1)}" y2="${y(p.to).toFixed(1)}"/>${shapeOf(i, x(p.x), y(p.y))}</g>`,
    );
    const last = points.at(-1);
    const end = last === undefined ? 0 : x(last.x) + 12;
    const name = `${label} ${last === undefined ? '' : format(last.y)}`;
    return `<g class="s${i % 6}"><polyline fill="none" stroke="currentColor" stroke-width="1.5" points="${path}"/>${marks.join('')}<text class="label" x="${end.toFixed(1)}" y="${((labels[i] ?? 0) + 4).toFixed(1)}">${escapeHtml(name)}</text></g>`;
  });
  const head = style === '' ? '' : `<style>${style}</style>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(title)}">${head}${grid.join('')}${drawn.join('')}</svg>`;
}

/** Moved down where they would lie on one another. */
function labelPlaces(wanted: readonly number[]): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const places = [...wanted];
  let free = -Infinity;
  for (const i of order) {
    const place = Math.max(free, places[i] ?? 0);
    places[i] = place;
    free = place + LABEL_HEIGHT;
  }
  return places;
}
