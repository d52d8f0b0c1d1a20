import { ChartFigure } from '../../js/charts/figure.js';
import { label, line } from '../../js/charts/axes.js';
import { scaleOf, ticksOf } from '../../js/charts/shapes.js';
import { el } from '../../js/dom.js';
import { timeAt } from './units.js';

/**
 * @typedef {import('../../../surfaces/monitor/logs/volume.js').VolumeView} VolumeView
 * @typedef {Extract<VolumeView, { state: 'ok' }>} Volume
 * @typedef {import('../../js/charts/shapes.js').Chart} Chart
 * @typedef {import('../../js/charts/shapes.js').Tone} Tone
 */

/**
 * The levels from the bottom of a bar on: what is severe must not hide on top of much else.
 *
 * @type {readonly (readonly [level: string, tone: Tone])[]}
 */
const LEVELS = [
  ['error', 'crit'],
  ['warn', 'warn'],
  ['info', 'accent'],
  ['debug', 'quiet'],
  ['trace', 'line'],
  ['other', 'quiet'],
];
const HEIGHT = 90;
const BOTTOM = 20;
const BARS = 60;

/** @param {number} value */
const whole = (value) => value.toLocaleString('en');

/**
 * @param {Volume} volume
 * @returns {{ at: number, levels: Map<string, number>, sum: number }[]} one for each step, of which
 *   `at` is the end
 */
function stepsOf({ series, step_s: step, from_unix_s: from, to_unix_s: to }) {
  const count = Math.max(1, Math.round((to - from) / step));
  return Array.from({ length: count }, (_, index) => {
    const at = from + (index + 1) * step;
    /** @type {Map<string, number>} */
    const levels = new Map();
    for (const { level, points } of series) {
      const found = points.find(([time]) => Math.abs(time - at) < step / 2)?.[1] ?? 0;
      if (found > 0) levels.set(level, found);
    }
    return { at, levels, sum: [...levels.values()].reduce((sum, one) => sum + one, 0) };
  });
}

/**
 * How many lines there were in each step of time, by level.
 *
 * @param {Volume} volume
 * @returns {Chart}
 */
export function volumeChart(volume) {
  const steps = stepsOf(volume);
  const { from_unix_s: from, to_unix_s: to, step_s: step } = volume;
  const used = LEVELS.filter(([level]) => steps.some(({ levels }) => levels.has(level)));
  const most = Math.max(1, ...steps.map(({ sum }) => sum));
  const all = steps.reduce((sum, one) => sum + one.sum, 0);
  const stamp = (/** @type {number} */ at) => timeAt(at, step < 60 ? 'second' : 'minute');
  return {
    height: () => HEIGHT + BOTTOM,
    legend: used.map(([text, tone]) => ({ text, tone })),
    describe: () => {
      const busiest = steps.find(({ sum }) => sum === most);
      const peak =
        busiest === undefined ? '' : ` At most ${whole(most)} up to ${stamp(busiest.at)}.`;
      return `${whole(all)} lines from ${timeAt(from, 'full')} to ${timeAt(to, 'full')}.${peak}`;
    },
    table: () => ({
      head: ['Up to', ...used.map(([level]) => level)],
      rows: steps.map(({ at, levels }) => [
        timeAt(at, 'full'),
        ...used.map(([level]) => levels.get(level) ?? 0),
      ]),
    }),
    shapes(width) {
      const left = 44;
      const x = scaleOf(from, to, left, width - 4);
      const y = scaleOf(0, most, HEIGHT, 6);
      const times = ticksOf(from, to, width / 130).ticks.filter((one) => one > from && one < to);
      return [
        line(`M${left} ${HEIGHT}H${width}`),
        label(left - 6, 14, whole(most), 'end'),
        label(left - 6, HEIGHT, '0', 'end'),
        ...times.map((time) => label(x(time), HEIGHT + 16, stamp(time), 'middle')),
        ...steps.flatMap(({ at, levels, sum }) => {
          let below = 0;
          const title = `${stamp(at - step)} to ${stamp(at)}: ${whole(sum)} lines`;
          return used.flatMap(([level, tone]) => {
            const count = levels.get(level) ?? 0;
            if (count === 0) return [];
            const top = y(below + count);
            const height = y(below) - top;
            below += count;
            const wide = Math.max(1, x(at) - x(at - step) - 1);
            return [
              /** @type {const} */ ({
                kind: 'rect',
                x: x(at - step),
                y: top,
                width: wide,
                height: Math.max(1, height),
                tone,
                title: `${title}, ${whole(count)} ${level}`,
              }),
            ];
          });
        }),
      ];
    },
  };
}

/**
 * The volume of lines that are at hand.
 *
 * @param {readonly { unixS: number, level: string }[]} marks
 * @param {number} from
 * @param {number} to unix seconds
 * @returns {Volume}
 */
export function volumeOfLines(marks, from, to) {
  const first = Math.min(from, ...marks.map(({ unixS }) => Math.floor(unixS)));
  const step = Math.max(1, Math.ceil((to - first) / BARS));
  /** @type {Map<string, Map<number, number>>} */
  const levels = new Map();
  for (const { unixS, level } of marks) {
    const name = LEVELS.some(([known]) => known === level) ? level : 'other';
    const at = first + Math.ceil(Math.max(1e-9, unixS - first) / step) * step;
    const points = levels.get(name) ?? new Map();
    points.set(at, (points.get(at) ?? 0) + 1);
    levels.set(name, points);
  }
  const end = first + Math.ceil((to - first) / step) * step;
  const series = [...levels].map(([level, points]) => ({ level, points: [...points] }));
  return { state: 'ok', step_s: step, from_unix_s: first, to_unix_s: end, series };
}

/** The lines of the log by time: where there were many, or severe ones. A click takes that time. */
export class LogVolume {
  element = el('div', { className: 'log-volume' });
  /** @type {ChartFigure | null} */
  #figure = null;
  /** @type {Volume | null} */
  #volume = null;

  /** @param {(from: number, to: number) => void} onSelect told from when to when, in unix seconds */
  constructor(onSelect) {
    this.element.onclick = ({ target }) => {
      const bar = /** @type {SVGRectElement | null} */ (
        /** @type {Element} */ (target).closest('svg rect')
      );
      const drawing = bar?.closest('svg') ?? null;
      if (bar === null || drawing === null || this.#volume === null) return;
      const { from_unix_s: from, to_unix_s: to, step_s: step } = this.#volume;
      const time = scaleOf(44, drawing.width.baseVal.value - 4, from, to);
      const at = from + Math.round((time(bar.x.baseVal.value) - from) / step) * step;
      onSelect(at, at + step);
    };
  }

  /** @param {Volume | null} volume null when it is not known */
  show(volume) {
    this.#volume = volume;
    this.element.hidden = volume === null;
    if (volume === null) return;
    const chart = volumeChart(volume);
    if (this.#figure === null) {
      this.#figure = new ChartFigure('Lines over time', chart);
      this.#figure.element.classList.remove('card');
      this.element.append(this.#figure.element);
    } else this.#figure.show(chart);
  }

  destroy() {
    this.#figure?.destroy();
  }
}
