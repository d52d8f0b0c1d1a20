import { label } from './axes.js';
import { extremes, gridOf, labelSpace, plain, widthOf, type Chart, type Shape } from './shapes.js';

const ROW_MOST = 22;
const CELLS_MOST = 480;
const BOTTOM = 58;

/**
 * Values by row and column, as colours from little to much: some thousands. Larger ones are to be
 * summed up before, and shown by a chart that looks at no more of them than there are pixels, as the
 * map of a ring is.
 *
 * @param data values by row; null where nothing is known
 */
export function heatMap({
  rows,
  columns,
  values,
  format = plain,
  titles = ['Row', 'Column', 'Value'],
}: {
  rows: readonly string[];
  columns: readonly string[];
  values: readonly (readonly (number | null)[])[];
  format?: (value: number) => string;
  titles?: readonly [row: string, column: string, value: string];
}): Chart {
  const flat = values.flat();
  const known = flat.filter((value) => value !== null);
  const low = Math.min(...known, Infinity);
  const high = Math.max(...known, -Infinity);
  const grid = gridOf(columns.length, flat, { low, high });
  const heightOf = () => Math.min(CELLS_MOST, rows.length * ROW_MOST);
  const entries = rows.flatMap((row, at) =>
    columns.map((column, index) => ({
      name: `${row}, ${column}`,
      value: values[at]?.[index] ?? null,
    })),
  );
  return {
    height: () => heightOf() + BOTTOM,
    describe: () =>
      `${titles[2]} of ${rows.length} × ${columns.length}: ${extremes(entries, format)}`,
    table: () => ({
      head: [titles[0], ...columns],
      rows: rows.map((row, at) => [row, ...columns.map((_, index) => values[at]?.[index] ?? null)]),
    }),
    at: (x, y, width) => {
      const left = labelSpace(rows, width * 0.3);
      const row = Math.floor((y / Math.max(1, heightOf())) * rows.length);
      const column = Math.floor(((x - left) / Math.max(1, width - left)) * columns.length);
      const value = values[row]?.[column];
      if (value === undefined) return '';
      const text = value === null ? 'unknown' : format(value);
      return `${titles[0]} ${rows[row]}, ${titles[1]} ${columns[column]}: ${text} ${titles[2]}`;
    },
    shapes(width) {
      const height = heightOf();
      const left = labelSpace(rows, width * 0.3);
      const row = height / Math.max(1, rows.length);
      const column = (width - left) / Math.max(1, columns.length);
      const rowStep = Math.ceil(14 / row);
      const columnStep = Math.ceil((Math.max(10, ...columns.map(widthOf)) + 10) / column);
      return [
        { kind: 'cells', x: left, y: 0, width: width - left, height, grid },
        ...rows.flatMap((text, at) =>
          at % rowStep === 0 ? [label(left - 6, (at + 0.5) * row + 4, text, 'end')] : [],
        ),
        ...columns.flatMap((text, at) =>
          at % columnStep === 0
            ? [label(left + (at + 0.5) * column, height + 16, text, 'middle')]
            : [],
        ),
        ...heatScale(left, height + 32, {
          low: Number.isFinite(low) ? format(low) : '',
          high: Number.isFinite(high) ? `${format(high)} ${titles[2]}` : '',
        }),
      ];
    },
  };
}

const SCALE = gridOf(
  24,
  Array.from({ length: 24 }, (_, at) => at),
  { low: 0, high: 23 },
);

/** The scale of the colours, from the least to the most. */
export function heatScale(
  x: number,
  y: number,
  { low, high }: { low: string; high: string },
): readonly Shape[] {
  return [
    { kind: 'cells', x, y, width: 120, height: 10, grid: SCALE },
    label(x - 6, y + 9, low, 'end'),
    label(x + 126, y + 9, high, 'start'),
  ];
}
