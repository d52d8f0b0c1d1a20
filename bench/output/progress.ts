import type { RowResult } from './results.js';
import type { RowsTable } from './rows-table.js';

/** Tells how far a run is, while it prints the table. */
export interface Progress {
  /** Share of the rows that are done. */
  at(share: number): void;
  /** The work under way now. */
  phase(text: string): void;
  row(result: RowResult): void;
  /** Ends the line, before anything else is printed. */
  end(): void;
}

interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** A bar below the table on a terminal; elsewhere lines alone. */
export function progressOn(terminal: Terminal, table: RowsTable): Progress {
  return terminal.isTTY === true ? new Bar(terminal, table) : new Lines(terminal, table);
}

class Lines implements Progress {
  #hasHeader = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly table: RowsTable,
  ) {}

  at(): void {
    // The lines themselves tell.
  }

  phase(): void {
    // Phases are not shown in the table.
  }

  row(result: RowResult): void {
    if (!this.#hasHeader) this.terminal.write(`${this.table.header}\n`);
    this.#hasHeader = true;
    this.terminal.write(`${this.table.line(result)}\n`);
  }

  end(): void {
    // Nothing is left behind.
  }
}

const BAR_CELLS = 20;
const CLEAR_LINE = '\r\u001b[K';

class Bar implements Progress {
  readonly #startedAt = Date.now();
  readonly #lines: Lines;
  #share = 0;
  #phase = '';

  constructor(
    private readonly terminal: Terminal,
    table: RowsTable,
  ) {
    this.#lines = new Lines(terminal, table);
  }

  at(share: number): void {
    this.#share = share;
    this.#draw();
  }

  phase(text: string): void {
    this.#phase = text;
    this.#draw();
  }

  row(result: RowResult): void {
    this.terminal.write(CLEAR_LINE);
    this.#lines.row(result);
    this.#draw();
  }

  end(): void {
    this.terminal.write(CLEAR_LINE);
  }

  #draw(): void {
    const filled = Math.round(this.#share * BAR_CELLS);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
    const text = `${bar} ${Math.round(this.#share * 100)}%${this.#left()}  ${this.#phase}`;
    this.terminal.write(CLEAR_LINE + text.slice(0, (this.terminal.columns ?? 80) - 1));
  }

  /**
   * The time left, estimated from the rows so far; the first ones, which write objects, take
   * longer.
   */
  #left(): string {
    if (this.#share === 0) return '';
    const elapsedS = (Date.now() - this.#startedAt) / 1000;
    const leftS = Math.round((elapsedS / this.#share) * (1 - this.#share));
    return ` ${Math.floor(leftS / 60)}:${String(leftS % 60).padStart(2, '0')} left`;
  }
}
