/**
 * What charts are made of: a chart turns its data into shapes on a plane of so many pixels, with no
 * page needed for that, and `paint.js` makes SVG of them.
 */

/**
 * A colour by what it means, or by the number of its series.
 *
 * @typedef {number | 'accent' | 'good' | 'warn' | 'crit' | 'quiet' | 'line' | 'text'} Tone
 *
 * `title` is shown on hover, `faint` is drawn with little ink.
 *
 * @typedef {{ tone: Tone, title?: string, faint?: boolean }} Ink
 * @typedef {Ink & { kind: 'rect', x: number, y: number, width: number, height: number, hatched?: boolean }} Rect
 * @typedef {Ink & { kind: 'path', d: string, filled?: boolean, dashed?: boolean, width?: number }} Path
 * @typedef {Ink & { kind: 'dot', x: number, y: number, r: number, shape?: 'circle' | 'diamond', hollow?: boolean }} Dot
 * @typedef {Ink & { kind: 'text', x: number, y: number, text: string, anchor?: 'start' | 'middle' | 'end', size?: number, bold?: boolean, space?: number }} Text
 *   `space`: the pixels that there are for it; a longer one is cut
 * @typedef {{ columns: number, rows: number, levels: Uint8Array }} Grid cells row by row: 0 where
 *   nothing is known, else 1 to 255 from the least to the most; never changed once it was drawn
 * @typedef {{ kind: 'cells', x: number, y: number, width: number, height: number, grid: Grid, part?: { x: number, y: number, width: number, height: number } }} Cells
 *   of a heat map; `part`: what is shown of them, in cells, and what may lie outside of them
 * @typedef {{ kind: 'canvas', x: number, y: number, width: number, height: number, draw: (context: CanvasRenderingContext2D, colour: (far: number) => string) => void }} Canvas
 *   what has too many parts for elements of their own; `colour` gives that of a deviation from −1 to 1
 * @typedef {Rect | Path | Dot | Text | Cells | Canvas} Shape
 *
 * @typedef {string | number | null} Figure
 * @typedef {{
 *   height: (width: number) => number,
 *   shapes: (width: number) => readonly Shape[],
 *   table: () => { head: readonly string[], rows: readonly (readonly Figure[])[] },
 *   describe: () => string,
 *   legend?: readonly { text: string, tone: Tone }[],
 *   at?: (x: number, y: number, width: number) => string,
 * }} Chart `describe` says in a sentence or two what one sees, `at` what is under the pointer
 */

const LETTER_PX = 7;

/**
 * @param {number} columns
 * @param {ArrayLike<number | null>} values row by row; null where nothing is known
 * @param {{ low: number, high: number }} range of the values
 * @returns {Grid}
 */
export function gridOf(columns, values, { low, high }) {
  const levels = new Uint8Array(values.length);
  const scale = high > low ? 254 / (high - low) : 0;
  const even = high > low ? 1 : 128;
  for (let at = 0; at < levels.length; at++) {
    const value = values[at] ?? null;
    if (value !== null) levels[at] = Math.round(even + (value - low) * scale);
  }
  return { columns, rows: columns === 0 ? 0 : levels.length / columns, levels };
}

/**
 * How wide a text of 12 pixels is, nearly.
 *
 * @param {string} text
 */
export function widthOf(text) {
  return text.length * LETTER_PX;
}

/**
 * The space that labels beside a chart need, within bounds.
 *
 * @param {readonly string[]} labels
 * @param {number} most
 */
export function labelSpace(labels, most) {
  return Math.min(most, Math.max(24, ...labels.map(widthOf)) + 16);
}

/**
 * Round steps for an axis, and the range that they span.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} count about as many steps as are wanted
 */
export function ticksOf(low, high, count = 5) {
  const span = high > low ? high - low : Math.abs(high) || 1;
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((one) => one * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil((high > low ? high : low + span) / step));
  const ticks = Array.from({ length: last - first + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  );
  return { ticks, low: first * step, high: last * step };
}

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;
/** Lengths of time that people say. */
export const TIME_STEPS_S = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_S),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_S),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * DAY_S),
];

/**
 * Times that people say, as the clock of the one who looks has them: 00:30 rather than 00:26:40.
 *
 * @param {number} from
 * @param {number} to unix seconds
 * @param {number} count about as many as are wanted
 * @returns {number[]} those within
 */
export function timeTicksOf(from, to, count = 5) {
  const rough = (to - from) / Math.max(1, count);
  const step = TIME_STEPS_S.find((one) => one >= rough) ?? 365 * DAY_S;
  const zone = -new Date(from * 1000).getTimezoneOffset() * MINUTE_S;
  const first = Math.ceil((from + zone) / step) * step - zone;
  const steps = Math.max(0, Math.floor((to - first) / step) + 1);
  return Array.from({ length: steps }, (_, at) => first + at * step);
}

/**
 * @param {number} low
 * @param {number} high of the values
 * @param {number} from
 * @param {number} to of the pixels
 * @returns {(value: number) => number} the pixel of a value
 */
export function scaleOf(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/**
 * A path through points; a null makes a gap.
 *
 * @param {readonly (readonly [x: number, y: number] | null)[]} points
 */
export function pathOf(points) {
  let pen = 'M';
  let path = '';
  for (const point of points) {
    if (point === null) pen = 'M';
    else {
      path += `${pen}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
      pen = 'L';
    }
  }
  return path;
}

/** @param {number} value */
export function plain(value) {
  return Number.isInteger(value)
    ? value.toLocaleString('en')
    : String(Number(value.toPrecision(3)));
}

/**
 * What is the most, what the least, and how many there are.
 *
 * @param {readonly { name: string, value: number | null }[]} items
 * @param {(value: number) => string} format
 */
export function extremes(items, format) {
  const known = items.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]));
  const unknown = items.length - known.length;
  const rest = unknown === 0 ? '' : ` No data for ${unknown} of them.`;
  if (known.length === 0) return `No data for ${items.length} entries.`;
  const sorted = known.toSorted((a, b) => b.value - a.value);
  const [most, least] = [sorted[0], sorted.at(-1)];
  if (most === undefined || least === undefined) return '';
  const count = items.length === 1 ? '1 entry' : `${items.length} entries`;
  return `${count}, from ${format(least.value)} (${least.name}) to ${format(most.value)} (${most.name}).${rest}`;
}
