/**
 * The shapes of charts: a chart turns its data into shapes on a plane of so many pixels, with no
 * page needed for that, and `paint.js` makes SVG of them.
 */

/** A colour by what it means, or by the number of its series. */
export type Tone = number | 'accent' | 'good' | 'warn' | 'crit' | 'quiet' | 'line' | 'text';

/** A place and its size, in pixels. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** `title` is shown on hover, `faint` is drawn with little ink. */
export interface Ink {
  tone: Tone;
  title?: string;
  faint?: boolean;
}

type Rect = Ink & Box & { kind: 'rect'; hatched?: boolean };

type Path = Ink & { kind: 'path'; d: string; filled?: boolean; dashed?: boolean; width?: number };

type Dot = Ink & {
  kind: 'dot';
  x: number;
  y: number;
  r: number;
  shape?: 'circle' | 'diamond';
  hollow?: boolean;
};

/** `space`: the pixels that there are for it; a longer one is cut. */
type Text = Ink & {
  kind: 'text';
  x: number;
  y: number;
  text: string;
  anchor?: 'start' | 'middle' | 'end';
  size?: number;
  bold?: boolean;
  space?: number;
};

/**
 * Cells row by row: 0 where nothing is known, else 1 to 255 from the least to the most; never
 * changed once it was drawn.
 */
export interface Grid {
  columns: number;
  rows: number;
  levels: Uint8Array;
}

/**
 * Cells of a heat map; `part`: what is shown of them, in cells, and what may lie outside of them.
 */
type Cells = Box & { kind: 'cells'; grid: Grid; part?: Box };

/**
 * A drawing with too many parts for elements of their own; `colour` gives the colour of a deviation
 * from −1 to 1.
 */
type Canvas = Box & {
  kind: 'canvas';
  draw: (context: CanvasRenderingContext2D, colour: (far: number) => string) => void;
};

export type Shape = Rect | Path | Dot | Text | Cells | Canvas;

type Figure = string | number | null;

/** `describe` says in a sentence or two what one sees, `at` what is under the pointer. */
export interface Chart {
  height: (width: number) => number;
  shapes: (width: number) => readonly Shape[];
  table: () => { head: readonly string[]; rows: readonly (readonly Figure[])[] };
  describe: () => string;
  legend?: readonly { text: string; tone: Tone }[];
  at?: (x: number, y: number, width: number) => string;
}

const LETTER_PX = 7;

/**
 * @param values row by row; null where nothing is known
 * @param range of the values
 */
export function gridOf(
  columns: number,
  values: ArrayLike<number | null>,
  { low, high }: { low: number; high: number },
): Grid {
  const levels = new Uint8Array(values.length);
  const scale = high > low ? 254 / (high - low) : 0;
  const even = high > low ? 1 : 128;
  for (let at = 0; at < levels.length; at++) {
    const value = values[at] ?? null;
    if (value !== null) levels[at] = Math.round(even + (value - low) * scale);
  }
  return { columns, rows: columns === 0 ? 0 : levels.length / columns, levels };
}

/** How wide a text of 12 pixels is, nearly. */
export function widthOf(text: string) {
  return text.length * LETTER_PX;
}

/** The space that labels beside a chart need, within bounds. */
export function labelSpace(labels: readonly string[], most: number) {
  return Math.min(most, Math.max(24, ...labels.map(widthOf)) + 16);
}

/**
 * Round steps for an axis, and the range that they span.
 *
 * @param count about as many steps as are wanted
 */
export function ticksOf(low: number, high: number, count = 5) {
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
 * @param to unix seconds
 * @param count about as many as are wanted
 * @returns those within
 */
export function timeTicksOf(from: number, to: number, count = 5): number[] {
  const rough = (to - from) / Math.max(1, count);
  const step = TIME_STEPS_S.find((one) => one >= rough) ?? 365 * DAY_S;
  const zone = -new Date(from * 1000).getTimezoneOffset() * MINUTE_S;
  const first = Math.ceil((from + zone) / step) * step - zone;
  const steps = Math.max(0, Math.floor((to - first) / step) + 1);
  return Array.from({ length: steps }, (_, at) => first + at * step);
}

/**
 * @param high of the values
 * @param to of the pixels
 * @returns the pixel of a value
 */
export function scaleOf(
  low: number,
  high: number,
  from: number,
  to: number,
): (value: number) => number {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** A path through points; a null makes a gap. */
export function pathOf(points: readonly (readonly [x: number, y: number] | null)[]) {
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

export function plain(value: number) {
  return Number.isInteger(value)
    ? value.toLocaleString('en')
    : String(Number(value.toPrecision(3)));
}

/** The number of items, the least and the most, in words. */
export function extremes(
  items: readonly { name: string; value: number | null }[],
  format: (value: number) => string,
) {
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
