import { timeAt } from '../clock.js';
import { labelSpace, scaleOf, ticksOf, type Shape } from './shapes.js';

export interface Axis {
  title: string;
  format: (value: number) => string;
  /** Where ticks are so near to each other that `format` makes two alike. Default: as they are. */
  exact?: (value: number) => string;
}

/** An axis of times, in seconds since the epoch. */
export const TIME_AXIS: Axis = {
  title: 'Time',
  format: (at) => timeAt(at, 'minute'),
  exact: (at) => timeAt(at, 'second'),
};

const BOTTOM = 44;
const TOP = 22;
const RIGHT = 28;

/**
 * Two axes with their lines, labels and titles.
 *
 * @param points that they have to hold
 */
export function axesOf(
  points: readonly (readonly [x: number, y: number])[],
  across: Axis,
  up: Axis,
  { width, height }: { width: number; height: number },
) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const horizontal = ticksOf(Math.min(...xs, Infinity), Math.max(...xs, -Infinity), width / 110);
  const vertical = ticksOf(Math.min(...ys, Infinity), Math.max(...ys, -Infinity), height / 50);
  const [acrossTexts, upTexts] = [labelsOf(horizontal.ticks, across), labelsOf(vertical.ticks, up)];
  const left = labelSpace(upTexts, width * 0.3);
  const x = scaleOf(horizontal.low, horizontal.high, left, width - RIGHT);
  const y = scaleOf(vertical.low, vertical.high, height - BOTTOM, TOP);
  const shapes: Shape[] = [
    ...vertical.ticks.flatMap((tick, at) => [
      line(`M${left} ${y(tick)}H${width - RIGHT}`),
      label(left - 6, y(tick) + 4, upTexts[at] ?? '', 'end'),
    ]),
    ...horizontal.ticks.flatMap((tick, at) => [
      line(`M${x(tick)} ${TOP}V${height - BOTTOM}`),
      label(x(tick), height - BOTTOM + 16, acrossTexts[at] ?? '', 'middle'),
    ]),
    label(0, 12, up.title, 'start'),
    label(width - RIGHT, height - 6, across.title, 'end'),
  ];
  return { x, y, left, bottom: height - BOTTOM, shapes };
}

/** Ticks that even the exact format makes alike are labelled once. */
function labelsOf(ticks: readonly number[], { format, exact = String }: Axis) {
  const texts = ticks.map(format);
  if (new Set(texts).size === texts.length) return texts;
  return ticks.map(exact).map((text, at, all) => (text === all[at - 1] ? '' : text));
}

/** A name at the left of its row, cut where it needs more than that. @param left of the drawing */
export function rowName(
  left: number,
  y: number,
  text: string,
  more: { title?: string; bold?: boolean } = {},
): Shape {
  const space = left - 8;
  return { kind: 'text', x: space, y, text, anchor: 'end', tone: 'text', space, ...more };
}

export function line(d: string): Shape {
  return { kind: 'path', d, tone: 'line', width: 1 };
}

export function label(
  x: number,
  y: number,
  text: string,
  anchor: 'start' | 'middle' | 'end',
): Shape & { kind: 'text' } {
  return { kind: 'text', x, y, text, anchor, tone: 'quiet' };
}
