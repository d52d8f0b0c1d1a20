import { axesOf } from './axes.js';
import { pathOf } from './shapes.js';

/**
 * @typedef {{ name: string, x: number, y: number, series?: number, marked?: boolean }} Point
 *   `marked` ones are larger, and have their name beside them
 */

const HEIGHT = 320;

/**
 * Points by two measures.
 *
 * @param {{
 *   points: readonly Point[],
 *   x: import('./axes.js').Axis,
 *   y: import('./axes.js').Axis,
 *   series?: readonly string[],
 *   front?: readonly number[],
 * }} data `front`: indexes of points that a line joins, such as those of a Pareto front
 * @returns {import('./shapes.js').Chart}
 */
export function scatterChart({ points, x: across, y: up, series = [], front = [] }) {
  const marked = points.filter((point) => point.marked);
  return {
    height: () => HEIGHT,
    legend: series.map((text, tone) => ({ text, tone })),
    describe: () => {
      const names = marked.map(
        ({ name, x, y }) => `${name} at ${across.format(x)} and ${up.format(y)}`,
      );
      const rest = names.length === 0 ? '' : ` Marked: ${names.join('; ')}.`;
      return `${points.length} points by ${across.title} and ${up.title}.${rest}`;
    },
    table: () => ({
      head: ['Name', across.title, up.title],
      rows: points.map(({ name, x, y }) => [name, x, y]),
    }),
    shapes(width) {
      const size = { width, height: HEIGHT };
      const axes = axesOf(
        points.map(({ x, y }) => [x, y]),
        across,
        up,
        size,
      );
      const at = (/** @type {Point} */ point) =>
        /** @type {const} */ ([axes.x(point.x), axes.y(point.y)]);
      const joined = front.flatMap((index) => points[index] ?? []);
      return [
        ...axes.shapes,
        { kind: 'path', d: pathOf(joined.map(at)), tone: 'quiet', dashed: true },
        ...points.flatMap((point) => {
          const [x, y] = at(point);
          const title = `${point.name}: ${across.format(point.x)}, ${up.format(point.y)}`;
          const tone = point.series ?? 0;
          const shape = tone % 2 === 0 ? 'circle' : 'diamond';
          const r = point.marked ? 7 : 4.5;
          /** @type {import('./shapes.js').Shape[]} */
          const shapes = [{ kind: 'dot', x, y, r, tone, title, shape }];
          if (point.marked) {
            const isLeft = x > width * 0.7;
            const place = {
              x: x + (isLeft ? -11 : 11),
              y: y + 4,
              anchor: isLeft ? 'end' : 'start',
            };
            shapes.push(
              /** @type {import('./shapes.js').Text} */ ({
                kind: 'text',
                ...place,
                text: point.name,
                tone: 'text',
                bold: true,
              }),
            );
          }
          return shapes;
        }),
      ];
    },
  };
}
