import { axesOf } from './axes.js';
import { pathOf } from './shapes.js';

/**
 * @typedef {{ x: number, y: number | null }} Point `y` is null where it is not known
 * @typedef {{ name: string, points: readonly Point[], tone?: import('./shapes.js').Tone }} Series
 */

const HEIGHT = 260;
/** More points than that are a line alone: dots would cover it. */
const DOTS_MAX = 40;

/**
 * Lines of values over something that goes on, such as time; 0 is always on the axis.
 *
 * @param {{
 *   series: readonly Series[],
 *   x: import('./axes.js').Axis,
 *   y: import('./axes.js').Axis,
 * }} data points from left to right
 * @returns {import('./shapes.js').Chart}
 */
export function lineChart({ series, x: across, y: up }) {
  const all = series.flatMap(({ points }) => points);
  const known = all.flatMap(({ x, y }) => (y === null ? [] : [/** @type {const} */ ([x, y])]));
  return {
    height: () => HEIGHT,
    legend:
      series.length < 2
        ? []
        : series.map(({ name, tone }, index) => ({ text: name, tone: tone ?? index })),
    describe: () => {
      if (known.length === 0) return `Nothing is known of ${up.title} yet.`;
      const ends = series.flatMap(({ name, points }) => {
        const last = points.findLast(({ y }) => y !== null);
        return last === undefined || last.y === null ? [] : [`${name}: ${up.format(last.y)}`];
      });
      return `${up.title} by ${across.title}, ${known.length} values. The last: ${ends.join('; ')}.`;
    },
    table: () => ({
      head: ['Series', across.title, up.title],
      rows: series.flatMap(({ name, points }) =>
        points.map(({ x, y }) => [name, across.format(x), y]),
      ),
    }),
    shapes(width) {
      const first = known[0];
      if (first === undefined) return [];
      const axes = axesOf([[first[0], 0], ...known], across, up, { width, height: HEIGHT });
      return [
        ...axes.shapes,
        ...series.flatMap(({ name, points, tone: given }, index) => {
          const tone = given ?? index;
          const places = points.map(({ x, y }) =>
            y === null ? null : /** @type {const} */ ([axes.x(x), axes.y(y)]),
          );
          /** @type {import('./shapes.js').Shape[]} */
          const shapes = [{ kind: 'path', d: pathOf(places), tone, title: name }];
          if (points.length > DOTS_MAX) return shapes;
          for (const { x, y } of points) {
            if (y === null) continue;
            const title = `${name}: ${across.format(x)}, ${up.format(y)}`;
            shapes.push({ kind: 'dot', x: axes.x(x), y: axes.y(y), r: 3.5, tone, title });
          }
          return shapes;
        }),
      ];
    },
  };
}
