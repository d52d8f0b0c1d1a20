import { label } from './axes.js';
import { plain, pathOf, scaleOf, widthOf, type Chart, type Shape } from './shapes.js';

interface ParallelAxis {
  name: string;
  format?: (value: number) => string;
}

/** A value for each axis. */
interface Line {
  name: string;
  values: readonly (number | null)[];
  picked?: boolean;
}

const HEIGHT = 280;
const TOP = 40;
const BOTTOM = 24;

/** Candidates over several measures: a line each, an axis for each measure. */
export function parallelCoordinates({
  axes,
  lines,
}: {
  axes: readonly ParallelAxis[];
  lines: readonly Line[];
}): Chart {
  const scales = axes.map(({ name, format = plain }, index) => {
    const known = lines.flatMap(({ values }) => values[index] ?? []);
    const low = known.length === 0 ? 0 : Math.min(...known);
    const high = known.length === 0 ? 1 : Math.max(...known);
    return { name, format, low, high, y: scaleOf(low, high, HEIGHT - BOTTOM, TOP) };
  });
  return {
    height: () => HEIGHT,
    describe: () => {
      const ranges = scales.map(
        ({ name, format, low, high }) => `${name} from ${format(low)} to ${format(high)}`,
      );
      const picked = lines.filter((line) => line.picked).map(({ name }) => name);
      const rest = picked.length === 0 ? '' : ` Picked: ${picked.join(', ')}.`;
      return `${lines.length} candidates: ${ranges.join('; ')}.${rest}`;
    },
    table: () => ({
      head: ['Name', ...axes.map(({ name }) => name)],
      rows: lines.map(({ name, values }) => [
        name,
        ...axes.map((_, index) => values[index] ?? null),
      ]),
    }),
    shapes(width) {
      const margin = Math.min(70, width / 8);
      const x = scaleOf(0, Math.max(1, axes.length - 1), margin, width - margin);
      // Those that are picked are drawn above the others.
      const ordered = lines.toSorted(
        (a, b) => Number(a.picked ?? false) - Number(b.picked ?? false),
      );
      return [
        ...scales.flatMap(({ name, format, low, high }, index) => {
          const at = x(index);
          const space = (width / axes.length) * 0.95;
          // The first and the last name stay within the picture.
          const half = Math.min(space, widthOf(name)) / 2;
          const middle = Math.max(half, Math.min(at, width - half));
          return [
            { kind: 'path', d: `M${at} ${TOP}V${HEIGHT - BOTTOM}`, tone: 'quiet', width: 1 },
            { ...label(middle, 14, name, 'middle'), tone: 'text', bold: true, space },
            label(at, TOP - 8, format(high), 'middle'),
            label(at, HEIGHT - BOTTOM + 16, format(low), 'middle'),
          ] satisfies Shape[];
        }),
        ...ordered.map(({ name, values, picked = false }): Shape => {
          const points = scales.map(({ y }, index) => {
            const value = values[index] ?? null;
            return value === null ? null : ([x(index), y(value)] as const);
          });
          const ink = picked ? { tone: 1, width: 3 } : { tone: 0, width: 1.5, faint: true };
          return { kind: 'path', d: pathOf(points), ...ink, title: name };
        }),
      ];
    },
  };
}
