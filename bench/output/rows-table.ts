import { mib, micros, millis, percent, significant } from './format.js';
import type { RowResult } from './results.js';
import { DOUBTS, summarise, type Doubt } from './summary.js';
import { TextTable, type Column } from './text-table.js';

const right = (heading: string, width: number): Column => ({ heading, width, align: 'right' });
const left = (heading: string, width: number): Column => ({ heading, width, align: 'left' });

/** The main table, a line as each row is done. */
export class RowsTable {
  readonly #table: TextTable;

  /** @param targets names; one alone needs no column */
  constructor(private readonly targets: readonly string[]) {
    const width = Math.max(...targets.map((name) => name.length), 6);
    this.#table = new TextTable([
      left('row', 15),
      right('c', 3),
      ...(targets.length > 1 ? [left('target', width)] : []),
      ...[right('ops/s', 7), right('MB/s', 6)],
      ...[right('p50 ms', 7), right('p99 ms', 7), right('p99.9', 7)],
      right('CPU/op', 8),
      ...[right('anon MiB', 8), right('PSS', 5), right('RSS', 5)],
      right('gen', 4),
      right('errors', 6),
      left('', 0),
    ]);
  }

  get header(): string {
    return this.#table.header;
  }

  line(result: RowResult): string {
    const { row, concurrency, target, latencyMs, errors, skipped } = result;
    const name = [row, String(concurrency), ...(this.targets.length > 1 ? [target] : [])];
    if (skipped !== undefined) return `${this.#table.line(name)}  - ${skipped}`;
    const { opsPerS, mbPerS, cpuMicros, generatorShare, doubts, ...memory } = summarise(result);
    return this.#table.line([
      ...name,
      opsPerS === undefined ? '-' : significant(opsPerS.median),
      mbPerS === undefined ? '-' : significant(mbPerS.median),
      ...[latencyMs?.p50, latencyMs?.p99, latencyMs?.p999].map((value) =>
        value === undefined ? '-' : millis(value),
      ),
      cpuMicros === undefined ? '-' : micros(cpuMicros.median),
      ...[memory.anonymousBytes, memory.pssBytes, memory.rssBytes].map(mib),
      generatorShare === undefined ? '-' : percent(generatorShare),
      String(errors),
      doubts.map((doubt) => DOUBTS[doubt].mark).join(''),
    ]);
  }
}

/** The meaning of the marks at the ends of the lines, of those that occur. */
export function legend(rows: readonly RowResult[]): string[] {
  const found = new Set(rows.flatMap((row) => summarise(row).doubts));
  return (Object.keys(DOUBTS) as Doubt[])
    .filter((doubt) => found.has(doubt))
    .map((doubt) => `${DOUBTS[doubt].mark}  ${DOUBTS[doubt].meaning}`);
}
