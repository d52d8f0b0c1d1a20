import { escapeHtml } from './escape.js';
import { logScale } from './scale.js';

/** One figure of one target: a mark, and a line from the least to the largest. */
export interface Mark {
  /** Index of the target: its colour and its shape. */
  readonly series: number;
  readonly value: number;
  readonly from: number;
  readonly to: number;
  /** The text that a pointer shows. */
  readonly title: string;
}

export interface ChartRow {
  readonly label: string;
  readonly marks: readonly Mark[];
}

export interface Chart {
  readonly title: string;
  /** One line below the title: what the marks are, and which way is better. */
  readonly note: string;
  readonly rows: readonly ChartRow[];
  readonly format: (value: number) => string;
}

const WIDTH = 960;
const LABEL_WIDTH = 190;
const RIGHT = 90;
const TOP = 22;
const MARK_HEIGHT = 15;
const ROW_GAP = 9;
/** Half of a mark's size. */
const R = 4.5;

/** A dot plot on a logarithmic axis, one band a row. */
export function renderChart({ title, note, rows, format }: Chart): string {
  const plotted = rows.filter((row) => row.marks.length > 0);
  const scale = logScale(plotted.flatMap((row) => row.marks.flatMap((m) => [m.from, m.to])));
  const x = (value: number) => LABEL_WIDTH + scale.at(value) * (WIDTH - LABEL_WIDTH - RIGHT);
  let y = TOP;
  const bands: string[] = [];
  for (const row of plotted) {
    const height = row.marks.length * MARK_HEIGHT + ROW_GAP;
    bands.push(renderBand(row, y, height, x, format));
    y += height;
  }
  const axis = scale.ticks.map((tick) => {
    const at = x(tick).toFixed(1);
    return `<line class="grid" x1="${at}" x2="${at}" y1="${TOP}" y2="${y}"/><text class="tick" x="${at}" y="${TOP - 8}">${escapeHtml(format(tick))}</text>`;
  });
  return `<section class="chart"><h2>${escapeHtml(title)}</h2><p>${escapeHtml(note)}</p>
<svg viewBox="0 0 ${WIDTH} ${y + 6}" role="img" aria-label="${escapeHtml(title)}">${axis.join('')}${bands.join('')}</svg></section>`;
}

function renderBand(
  { label, marks }: ChartRow,
  top: number,
  height: number,
  x: (value: number) => number,
  format: (value: number) => string,
): string {
  const rule = `<line class="rule" x1="0" x2="${WIDTH}" y1="${top + height}" y2="${top + height}"/>`;
  const name = `<text class="label" x="0" y="${top + height / 2 + 4}">${escapeHtml(label)}</text>`;
  const drawn = marks.map((mark, i) => {
    const y = top + ROW_GAP / 2 + (i + 0.5) * MARK_HEIGHT;
    const [from, to] = [x(mark.from).toFixed(1), x(mark.to).toFixed(1)];
    const text = `<text class="value" x="${(x(mark.to) + 10).toFixed(1)}" y="${y + 4}">${escapeHtml(format(mark.value))}</text>`;
    return `<g class="s${mark.series}"><title>${escapeHtml(mark.title)}</title><line class="span" x1="${from}" x2="${to}" y1="${y}" y2="${y}"/>${shapeOf(mark.series, x(mark.value), y)}${text}</g>`;
  });
  return rule + name + drawn.join('');
}

/** Colour alone would not tell targets apart for everybody. */
export function shapeOf(series: number, x: number, y: number): string {
  const point = (dx: number, dy: number) => `${(x + dx * R).toFixed(1)},${(y + dy * R).toFixed(1)}`;
  const polygon = (points: readonly (readonly [number, number])[]) =>
    `<polygon class="mark" points="${points.map(([dx, dy]) => point(dx, dy)).join(' ')}"/>`;
  switch (series % 4) {
    case 0:
      return `<circle class="mark" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${R}"/>`;
    case 1:
      return polygon([
        [0, -1.25],
        [1.25, 0],
        [0, 1.25],
        [-1.25, 0],
      ]);
    case 2:
      return polygon([
        [-0.9, -0.9],
        [0.9, -0.9],
        [0.9, 0.9],
        [-0.9, 0.9],
      ]);
    default:
      return polygon([
        [0, -1.15],
        [1.15, 0.9],
        [-1.15, 0.9],
      ]);
  }
}
