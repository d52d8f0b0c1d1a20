import { axesOf, label, type Axis } from './axes.js';
import { pathOf, type Chart, type Shape } from './shapes.js';

/** `marked` ones are larger, and have their name beside them. */
interface Point {
  name: string;
  x: number;
  y: number;
  series?: number;
  marked?: boolean;
}

const HEIGHT = 320;

/**
 * Points by two measures.
 *
 * @param data `front`: indexes of points that a line joins, such as those of a Pareto front
 */
export function scatterChart({
  points,
  x: across,
  y: up,
  series = [],
  front = [],
}: {
  points: readonly Point[];
  x: Axis;
  y: Axis;
  series?: readonly string[];
  front?: readonly number[];
}): Chart {
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
      const places = points.map(({ x, y }) => [x, y] as const);
      const axes = axesOf(places, across, up, { width, height: HEIGHT });
      const at = (point: Point) => [axes.x(point.x), axes.y(point.y)] as const;
      const labels = labelsOf(marked.map((point) => ({ name: point.name, at: at(point) })));
      const joined = front.flatMap((index) => points[index] ?? []);
      return [
        ...axes.shapes,
        { kind: 'path', d: pathOf(joined.map(at)), tone: 'quiet', dashed: true },
        ...points.map((point) => {
          const [x, y] = at(point);
          const title = `${point.name}: ${across.format(point.x)}, ${up.format(point.y)}`;
          const tone = point.series ?? 0;
          const shape = tone % 2 === 0 ? 'circle' : 'diamond';
          const r = point.marked ? 7 : 4.5;
          return { kind: 'dot', x, y, r, tone, title, shape } satisfies Shape;
        }),
        ...labels.map(({ name, at: [x, y] }) => {
          const isLeft = x > width * 0.7;
          const place = label(x + (isLeft ? -11 : 11), y + 4, name, isLeft ? 'end' : 'start');
          return { ...place, tone: 'text', bold: true } satisfies Shape;
        }),
      ];
    },
  };
}

/** Texts whose points are nearer to each other than this would lie over each other. */
const NEAR = { x: 60, y: 14 };

/** The names beside marked points; those of points that are too near to each other are one text. */
interface Label {
  name: string;
  at: readonly [x: number, y: number];
}
function labelsOf(points: readonly Label[]) {
  const labels: Label[] = [];
  for (const { name, at } of points) {
    const near = labels.findIndex(
      ({ at: [x, y] }) => Math.abs(x - at[0]) < NEAR.x && Math.abs(y - at[1]) < NEAR.y,
    );
    const other = labels[near];
    if (other === undefined) labels.push({ name, at });
    else labels[near] = { ...other, name: `${other.name}; ${name}` };
  }
  return labels;
}
