import { labelSpace, scaleOf, ticksOf } from './shapes.js';

/**
 * @typedef {import('./shapes.js').Shape} Shape
 * @typedef {{ title: string, format: (value: number) => string }} Axis
 */

const BOTTOM = 44;
const TOP = 22;
const RIGHT = 28;

/**
 * Two axes with their lines, labels and titles.
 *
 * @param {readonly (readonly [x: number, y: number])[]} points that they have to hold
 * @param {Axis} across
 * @param {Axis} up
 * @param {{ width: number, height: number }} size
 */
export function axesOf(points, across, up, { width, height }) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const horizontal = ticksOf(Math.min(...xs, Infinity), Math.max(...xs, -Infinity), width / 110);
  const vertical = ticksOf(Math.min(...ys, Infinity), Math.max(...ys, -Infinity), height / 50);
  const [acrossTexts, upTexts] = [labelsOf(horizontal.ticks, across), labelsOf(vertical.ticks, up)];
  const left = labelSpace(upTexts, width * 0.3);
  const x = scaleOf(horizontal.low, horizontal.high, left, width - RIGHT);
  const y = scaleOf(vertical.low, vertical.high, height - BOTTOM, TOP);
  /** @type {Shape[]} */
  const shapes = [
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

/**
 * Where ticks are so near to each other that the format of the axis makes two alike, they are shown
 * as they are.
 *
 * @param {readonly number[]} ticks
 * @param {Axis} axis
 */
function labelsOf(ticks, { format }) {
  const texts = ticks.map((tick) => format(tick));
  return new Set(texts).size === texts.length ? texts : ticks.map(String);
}

/**
 * @param {string} d
 * @returns {Shape}
 */
export function line(d) {
  return { kind: 'path', d, tone: 'line', width: 1 };
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {'start' | 'middle' | 'end'} anchor
 * @returns {Shape}
 */
export function label(x, y, text, anchor) {
  return { kind: 'text', x, y, text, anchor, tone: 'quiet' };
}
