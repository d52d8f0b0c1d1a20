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
  const left = labelSpace(vertical.ticks.map(up.format), width * 0.3);
  const x = scaleOf(horizontal.low, horizontal.high, left, width - RIGHT);
  const y = scaleOf(vertical.low, vertical.high, height - BOTTOM, TOP);
  /** @type {Shape[]} */
  const shapes = [
    ...vertical.ticks.flatMap((tick) => [
      line(`M${left} ${y(tick)}H${width - RIGHT}`),
      label(left - 6, y(tick) + 4, up.format(tick), 'end'),
    ]),
    ...horizontal.ticks.flatMap((tick) => [
      line(`M${x(tick)} ${TOP}V${height - BOTTOM}`),
      label(x(tick), height - BOTTOM + 16, across.format(tick), 'middle'),
    ]),
    label(0, 12, up.title, 'start'),
    label(width - RIGHT, height - 6, across.title, 'end'),
  ];
  return { x, y, left, bottom: height - BOTTOM, shapes };
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
