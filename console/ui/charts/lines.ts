import { axesOf, type Axis } from './axes.js';
import { pathOf, type Chart, type Shape, type Tone } from './shapes.js';

/** `y` is null where it is not known. */
interface Point {
  x: number;
  y: number | null;
}

interface Series {
  name: string;
  points: readonly Point[];
  tone?: Tone;
}

/** Points from left to right. */
interface Data {
  series: readonly Series[];
  x: Axis;
  y: Axis;
}

const HEIGHT = 260;
/** More points than that are a line alone: dots would cover it. */
const DOTS_MAX = 40;

/** Lines of values over something that goes on, such as time; 0 is always on the axis. */
export function lineChart(data: Data): Chart {
  const { series, x: across, y: up } = data;
  return {
    ...about(data),
    shapes(width) {
      const known = knownOf(series);
      const [first] = known;
      if (first === undefined) return [];
      const axes = axesOf([[first[0], 0], ...known], across, up, { width, height: HEIGHT });
      return [
        ...axes.shapes,
        ...series.flatMap((one, index) => {
          const { name, points } = one;
          const tone = one.tone ?? index;
          const places = points.map(({ x, y }) =>
            y === null ? null : ([axes.x(x), axes.y(y)] as const),
          );
          const shapes: Shape[] = [{ kind: 'path', d: pathOf(places), tone, title: name }];
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

/**
 * Areas on top of each other: the parts of a whole over something that goes on. Where a part is not
 * known the whole is not either, and all have a gap.
 *
 * @param data each series with a point at the same places, none below 0
 */
export function stackedChart(data: Data): Chart {
  const { series, x: across, y: up } = data;
  const edges = edgesOf(series);
  return {
    ...about(data),
    shapes(width) {
      const tops = (edges.at(-1) ?? []).flatMap(({ x, y }) =>
        y === null ? [] : [[x, y] as const],
      );
      const [first] = tops;
      if (first === undefined) return [];
      const axes = axesOf([[first[0], 0], ...tops], across, up, { width, height: HEIGHT });
      const placed = (run: readonly Point[]) =>
        run.map(({ x, y }) => [axes.x(x), axes.y(y ?? 0)] as const);
      return [
        ...axes.shapes,
        ...series.flatMap(({ name, tone }, at) => {
          const [low = [], high = []] = [edges[at], edges[at + 1]];
          return runsOf(high).flatMap(([from, to]) => {
            const top = placed(high.slice(from, to));
            const bottom = placed(low.slice(from, to));
            const d = `${pathOf([...top, ...bottom.reverse()])}Z`;
            const ink = { tone: tone ?? at, title: name };
            const shapes: Shape[] = [
              { kind: 'path', d, filled: true, faint: true, ...ink },
              { kind: 'path', d: pathOf(top), ...ink },
            ];
            return shapes;
          });
        }),
      ];
    },
  };
}

/** The line below each series and, last, the one above all. */
function edgesOf(series: readonly Series[]): Point[][] {
  const places = series[0]?.points ?? [];
  const isKnown = places.map((_, at) =>
    series.every(({ points }) => (points[at]?.y ?? null) !== null),
  );
  const sums = places.map(() => 0);
  const edge = () =>
    places.map(({ x }, at) => ({ x, y: isKnown[at] === true ? (sums[at] ?? 0) : null }));
  const edges = [edge()];
  for (const { points } of series) {
    for (const [at, { y }] of points.entries()) sums[at] = (sums[at] ?? 0) + (y ?? 0);
    edges.push(edge());
  }
  return edges;
}

/** The runs of known points, each as its bounds. */
function runsOf(points: readonly Point[]) {
  const runs: [from: number, to: number][] = [];
  for (const [at, { y }] of points.entries()) {
    const last = runs.at(-1);
    if (y === null) continue;
    if (last?.[1] === at) last[1] += 1;
    else runs.push([at, at + 1]);
  }
  return runs;
}

function knownOf(series: readonly Series[]) {
  return series
    .flatMap(({ points }) => points)
    .flatMap(({ x, y }) => (y === null ? [] : [[x, y] as const]));
}

/** The parts of a chart that are the same for both kinds. */
function about({
  series,
  x: across,
  y: up,
}: Data): Pick<Chart, 'height' | 'legend' | 'describe' | 'table'> {
  return {
    height: () => HEIGHT,
    legend:
      series.length < 2
        ? []
        : series.map(({ name, tone }, index) => ({ text: name, tone: tone ?? index })),
    describe: () => {
      const { length } = knownOf(series);
      if (length === 0) return `No data for ${up.title} yet.`;
      const ends = series.flatMap(({ name, points }) => {
        const last = points.findLast(({ y }) => y !== null);
        return typeof last?.y !== 'number' ? [] : [`${name}: ${up.format(last.y)}`];
      });
      return `${up.title} by ${across.title}, ${length} values. Latest: ${ends.join('; ')}.`;
    },
    table: () => ({
      head: ['Series', across.title, up.title],
      rows: series.flatMap(({ name, points }) =>
        points.map(({ x, y }) => [name, across.format(x), y]),
      ),
    }),
  };
}
