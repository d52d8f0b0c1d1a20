import { timeAt } from '../../../ui/clock.js';
import { ChartFigure } from '../../../ui/charts/figure.js';
import { label, line } from '../../../ui/charts/axes.js';
import { scaleOf, timeTicksOf, widthOf } from '../../../ui/charts/shapes.js';
import { el } from '../../../ui/dom.js';
import { skeleton } from '../../../ui/skeleton.js';
import type { VolumeView } from '../logs/volume.js';
import type { Chart, Shape, Tone } from '../../../ui/charts/shapes.js';

/** `isCut`: what is missing is kept, and was not read. */
type Volume = Extract<VolumeView, { state: 'ok' }> & { isCut?: boolean };

/** The levels from the bottom of a bar on: what is severe must not hide on top of much else. */
const LEVELS: readonly (readonly [level: string, tone: Tone])[] = [
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

const whole = (value: number) => value.toLocaleString('en');

/**
 * @returns one for each step, of which `at` is the end. Of a step whose lines are all lost nothing
 *   is known; of one with a part of them, the part is shown.
 */
function stepsOf(
  volume: Volume,
): { at: number; levels: Map<string, number>; sum: number; isKnown: boolean }[] {
  const { series, step_s: step, from_unix_s: from, to_unix_s: to } = volume;
  const completeFrom = volume.complete_from_unix_s ?? from;
  const count = Math.max(1, Math.round((to - from) / step));
  return Array.from({ length: count }, (_, index) => {
    const at = from + (index + 1) * step;
    const levels = new Map<string, number>();
    for (const { level, points } of series) {
      const found = points.find(([time]) => Math.abs(time - at) < step / 2)?.[1] ?? 0;
      if (found > 0) levels.set(level, found);
    }
    const sum = [...levels.values()].reduce((all, one) => all + one, 0);
    return { at, levels, sum, isKnown: at > completeFrom || sum > 0 };
  });
}

/** How many lines there were in each step of time, by level. */
export function volumeChart(volume: Volume): Chart {
  const steps = stepsOf(volume);
  const { from_unix_s: from, to_unix_s: to, step_s: step } = volume;
  const used = LEVELS.filter(([level]) => steps.some(({ levels }) => levels.has(level)));
  const most = Math.max(1, ...steps.map(({ sum }) => sum));
  const all = steps.reduce((sum, one) => sum + one.sum, 0);
  const stamp = (at: number) => timeAt(at, step < 60 ? 'second' : 'minute');
  const known = Math.min(to, Math.max(from, volume.complete_from_unix_s ?? from));
  const start = timeAt(known, 'full');
  const missing =
    volume.isCut === true
      ? `Some lines before ${start} may be missing.`
      : `Lines before ${start} are not retained.`;
  const lost = known > from ? missing : '';
  return {
    height: () => HEIGHT + BOTTOM,
    legend: used.map(([text, tone]) => ({ text, tone })),
    describe: () => {
      const busiest = steps.find(({ sum }) => sum === most);
      const peak =
        busiest === undefined
          ? ''
          : ` Peak: ${whole(most)} lines in the interval ending ${stamp(busiest.at)}.`;
      const found = `${whole(all)} lines from ${timeAt(known, 'full')} to ${timeAt(to, 'full')}.`;
      return `${found}${peak}${lost === '' ? '' : ` ${lost}`}`;
    },
    table: () => ({
      head: ['Period end', ...used.map(([level]) => level)],
      rows: steps.map(({ at, levels, isKnown }) => [
        timeAt(at, 'full'),
        ...used.map(([level]) => (isKnown ? (levels.get(level) ?? 0) : null)),
      ]),
    }),
    shapes(width) {
      const left = 44;
      const x = scaleOf(from, to, left, width - 4);
      const y = scaleOf(0, most, HEIGHT, 6);
      const times = timeTicksOf(from, to, width / 130).filter((one) => one > from && one < to);
      return [
        ...(lost === '' ? [] : unknownUntil(lost, left, x(known))),
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
              {
                kind: 'rect',
                x: x(at - step),
                y: top,
                width: wide,
                height: Math.max(1, height),
                tone,
                title: `${title}, ${whole(count)} ${level}`,
              } as const,
            ];
          });
        }),
      ];
    },
  };
}

/**
 * A time of which nothing is known is no time without lines.
 *
 * @param right pixels
 */
function unknownUntil(why: string, left: number, right: number): Shape[] {
  const width = right - left;
  const shade = { x: left, y: 6, width, height: HEIGHT - 6, title: why };
  const middle = { x: left + width / 2, y: HEIGHT / 2 + 8 };
  return [
    { kind: 'rect', tone: 'line', faint: true, ...shade },
    ...(widthOf(why) > width - 16 ? [] : [label(middle.x, middle.y, why, 'middle')]),
  ];
}

/**
 * The volume of lines that are at hand.
 *
 * @param to unix seconds
 * @param completeFrom unix seconds from which on all lines are at hand; null for all
 * @param isCut whether there are earlier lines, which were not read
 */
export function volumeOfLines(
  marks: readonly { unixS: number; level: string }[],
  from: number,
  to: number,
  completeFrom: number | null,
  isCut = false,
): Volume {
  const first = Math.min(from, ...marks.map(({ unixS }) => Math.floor(unixS)));
  const step = Math.max(1, Math.ceil((to - first) / BARS));
  const levels = new Map<string, Map<number, number>>();
  for (const { unixS, level } of marks) {
    const name = LEVELS.some(([known]) => known === level) ? level : 'other';
    const at = first + Math.ceil(Math.max(1e-9, unixS - first) / step) * step;
    const points = levels.get(name) ?? new Map<number, number>();
    points.set(at, (points.get(at) ?? 0) + 1);
    levels.set(name, points);
  }
  const end = first + Math.ceil((to - first) / step) * step;
  const series = [...levels].map(([level, points]) => ({ level, points: [...points] }));
  return {
    state: 'ok',
    step_s: step,
    from_unix_s: first,
    to_unix_s: end,
    complete_from_unix_s: completeFrom !== null && completeFrom > first ? completeFrom : null,
    isCut,
    series,
  };
}

/** The lines of the log by time: where there were many, or severe ones. A click takes that time. */
export class LogVolume {
  element = el('div', { className: 'log-volume' }, skeleton('block'));
  #figure: ChartFigure | null = null;
  #volume: Volume | null = null;

  /** @param onSelect told from when to when, in unix seconds */
  constructor(onSelect: (from: number, to: number) => void) {
    this.element.onclick = ({ target }) => {
      const bar = (target as Element).closest<SVGRectElement>('svg rect');
      const drawing = bar?.closest('svg') ?? null;
      if (bar === null || drawing === null || this.#volume === null) return;
      const { from_unix_s: from, to_unix_s: to, step_s: step } = this.#volume;
      const completeFrom = this.#volume.complete_from_unix_s ?? from;
      const time = scaleOf(44, drawing.width.baseVal.value - 4, from, to);
      const at = from + Math.round((time(bar.x.baseVal.value) - from) / step) * step;
      if (at + step > completeFrom) onSelect(at, at + step);
    };
  }

  /** @param volume null when it is not known */
  show(volume: Volume | null) {
    this.#volume = volume;
    this.element.hidden = volume === null;
    if (volume === null) return;
    const chart = volumeChart(volume);
    if (this.#figure === null) {
      this.#figure = new ChartFigure('Log volume', chart);
      this.#figure.element.classList.remove('card');
      this.element.replaceChildren(this.#figure.element);
    } else this.#figure.show(chart);
  }

  destroy() {
    this.#figure?.destroy();
  }
}
