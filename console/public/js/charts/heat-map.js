import { label } from './axes.js';
import { extremes, labelSpace, plain, widthOf } from './shapes.js';

const ROW_MOST = 22;
const CELLS_MOST = 480;
const BOTTOM = 58;

/**
 * Values by row and column, as colours from little to much. Larger ones than a screen has pixels
 * for are to be summed up before.
 *
 * @param {{
 *   rows: readonly string[],
 *   columns: readonly string[],
 *   values: readonly (readonly (number | null)[])[],
 *   format?: (value: number) => string,
 *   titles?: readonly [row: string, column: string, value: string],
 * }} data values by row; null where nothing is known
 * @returns {import('./shapes.js').Chart}
 */
export function heatMap({
  rows,
  columns,
  values,
  format = plain,
  titles = ['Row', 'Column', 'Value'],
}) {
  const known = values.flat().filter((value) => value !== null);
  const low = Math.min(...known, Infinity);
  const high = Math.max(...known, -Infinity);
  const share = (/** @type {number | null} */ value) =>
    value === null ? null : high === low ? 0.5 : (value - low) / (high - low);
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
        {
          kind: 'cells',
          ...{ x: left, y: 0, width: width - left, height },
          values: values.map((line) => line.map(share)),
        },
        ...rows.flatMap((text, at) =>
          at % rowStep === 0 ? [label(left - 6, (at + 0.5) * row + 4, text, 'end')] : [],
        ),
        ...columns.flatMap((text, at) =>
          at % columnStep === 0
            ? [label(left + (at + 0.5) * column, height + 16, text, 'middle')]
            : [],
        ),
        {
          kind: 'cells',
          x: left,
          y: height + 32,
          width: 120,
          height: 10,
          values: [Array.from({ length: 24 }, (_, at) => at / 23)],
        },
        label(left - 6, height + 41, Number.isFinite(low) ? format(low) : '', 'end'),
        label(
          left + 126,
          height + 41,
          Number.isFinite(high) ? `${format(high)} ${titles[2]}` : '',
          'start',
        ),
      ];
    },
  };
}
