/** One column: its heading, and how wide it is at least. */
export interface Column {
  readonly heading: string;
  readonly width: number;
  /** Text to the left, figures to the right. */
  readonly align: 'left' | 'right';
}

/** Lines of a table that is printed while it grows: widths are known from the beginning. */
export class TextTable {
  constructor(private readonly columns: readonly Column[]) {}

  get header(): string {
    return this.line(this.columns.map(({ heading }) => heading));
  }

  /** A cell that is too wide pushes the rest of its line. */
  line(cells: readonly string[]): string {
    return this.columns
      .map(({ width, align }, i) => {
        const cell = cells[i] ?? '';
        return align === 'left' ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  }
}

/** A table that is known as a whole: columns as wide as their widest cell, the first to the left. */
export function tableOf(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const columns = headings.map((heading, i): Column => {
    const width = Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0));
    return { heading, width, align: i === 0 ? 'left' : 'right' };
  });
  const table = new TextTable(columns);
  return [table.header, ...rows.map((row) => table.line(row))];
}
