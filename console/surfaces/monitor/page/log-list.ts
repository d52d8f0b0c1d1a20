import { timeAt } from '../../../ui/clock.js';
import { el } from '../../../ui/dom.js';
import { keyOf, logLine } from './log-line.js';
import type { LogLineView as LogLine } from '../logs/logs.js';

/** Times in Unix seconds. */
interface Gap {
  from: number;
  to: number;
}

/** Lines that arrive while they are watched push the oldest out. */
const LINES_MAX = 5000;

/** The lines of the log, newest first: each once, and what may be missing between them is said. */
export class LogList {
  element = el('ol', { id: 'log', ariaLabel: 'Log lines, newest first' });
  #onId;
  /** How many lines of each key are shown: the same may have been written twice. */
  #shown = new Map<string, number>();
  #newest = 0;
  #count = 0;
  /** The notice above all lines, if there is one, and what it began with. */
  #topGap: (Gap & { row: HTMLElement }) | null = null;

  /** @param onId told the id of the request that was chosen */
  constructor(onId: (id: string) => void) {
    this.#onId = onId;
  }

  /** Time of the newest line in unix seconds; 0 without lines. */
  get newest() {
    return this.#newest;
  }

  /** Time of the oldest line in unix seconds; undefined without lines. */
  get oldest() {
    const row = [...this.#rows()].at(-1);
    return row === undefined ? undefined : Number(row.dataset.time);
  }

  /** The list has as many lines as it may have. */
  get isFull() {
    return this.#count >= LINES_MAX;
  }

  /** Times in unix seconds and levels of all lines. */
  get marks() {
    return [...this.#rows()].map(({ dataset }) => ({
      unixS: Number(dataset.time),
      level: dataset.level ?? '',
    }));
  }

  #rows() {
    return this.element.querySelectorAll<HTMLElement>('li[data-time]');
  }

  get count() {
    return this.#count;
  }

  /**
   * @param lines all there are, the newest first
   * @param completeFrom unix seconds before which lines are missing; null when none is
   */
  show(lines: readonly LogLine[], completeFrom: number | null) {
    this.#shown.clear();
    this.#newest = 0;
    this.#count = 0;
    this.#topGap = null;
    this.element.replaceChildren();
    this.add(lines, null, null);
    if (completeFrom !== null) {
      const text = `Lines before ${timeAt(completeFrom, 'second')} are no longer retained.`;
      this.element.append(notice(text));
    }
  }

  /**
   * @param lines the newest first, some of which may be here already
   * @param older from when on there may be older ones that are not among them; null for none
   * @param lost from when to when lines were let go before they were asked for; null for none
   */
  add(lines: readonly LogLine[], older: number | null, lost: Gap | null) {
    const fresh = this.#freshOf(lines);
    const rows = fresh.map((line) => this.#rowOf(line));
    // Without a known line it is unknown whether lines are missing.
    const oldest = fresh.length === lines.length ? lines.at(-1) : undefined;
    const cut = older !== null && oldest !== undefined ? { from: older, to: oldest.unix_s } : null;
    if (rows.length > 0) this.#topGap = null;
    if (lost !== null || cut !== null) this.#tellGap(rows, lost, cut);
    // New lines above must not move the lines that a user reads below.
    const before = this.element.scrollHeight;
    const { scrollTop } = this.element;
    this.element.prepend(...rows);
    if (scrollTop > 0) this.element.scrollTop = scrollTop + this.element.scrollHeight - before;
    this.#count += fresh.length;
    while (this.#count > LINES_MAX) this.#dropOldest();
    this.#newest = Math.max(this.#newest, lines[0]?.unix_s ?? 0);
  }

  /**
   * Lines before those that are shown, as many as there is place for.
   *
   * @param lines the newest first, some of which may be here already
   * @returns how many were new
   */
  addOlder(lines: readonly LogLine[]) {
    const fresh = this.#freshOf(lines).slice(0, LINES_MAX - this.#count);
    const last = [...this.#rows()].at(-1);
    const rows = fresh.map((line) => this.#rowOf(line));
    if (last === undefined) this.element.prepend(...rows);
    else last.after(...rows);
    this.#count += fresh.length;
    return fresh.length;
  }

  /** One notice at one place, however often more is missing there. */
  #tellGap(rows: HTMLElement[], lost: Gap | null, cut: Gap | null) {
    const gaps = [this.#topGap, lost, cut].filter((one) => one !== null);
    const from = Math.min(...gaps.map((one) => one.from));
    const to = Math.max(...gaps.map((one) => one.to));
    const row = notice(gapText(from, to, lost === null ? ASKED : LOST));
    this.#topGap?.row.remove();
    this.#topGap = rows.length === 0 ? { from, to, row } : null;
    rows.push(row);
  }

  /** Lines of which there are more than are shown. */
  #freshOf(lines: readonly LogLine[]) {
    const found = new Map<string, number>();
    return lines.filter((line) => {
      const key = keyOf(line);
      const nth = (found.get(key) ?? 0) + 1;
      found.set(key, nth);
      return nth > (this.#shown.get(key) ?? 0);
    });
  }

  #rowOf(line: LogLine) {
    const key = keyOf(line);
    const row = logLine(line, this.#onId);
    row.dataset.key = key;
    this.#shown.set(key, (this.#shown.get(key) ?? 0) + 1);
    return row;
  }

  #dropOldest() {
    const last = this.element.lastElementChild as HTMLElement | null;
    const key = last?.dataset.key;
    last?.remove();
    if (key === undefined) return;
    this.#count -= 1;
    const left = (this.#shown.get(key) ?? 0) - 1;
    if (left > 0) this.#shown.set(key, left);
    else this.#shown.delete(key);
  }
}

const ASKED = 'there were too many for one request';
const LOST = 'there were too many to keep';

function gapText(fromS: number, toS: number, why: string) {
  const times = `between ${timeAt(fromS, 'second')} and ${timeAt(toS, 'second')}`;
  return `Lines ${times} may be missing: ${why}.`;
}

function notice(textContent: string) {
  return el('li', { className: 'gap', textContent });
}
