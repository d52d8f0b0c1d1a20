import { localTimes } from '../../../ui/clock.js';
import { call, query } from '../../../ui/api.js';
import { el, messageOf } from '../../../ui/dom.js';
import { skeleton } from '../../../ui/skeleton.js';
import { LogFilter } from './log-filter.js';
import { LogList } from './log-list.js';
import { LogVolume, volumeOfLines } from './log-volume.js';
import { place, setPlace } from './place.js';
import { currentRange, isLive } from './range.js';
import { emptyLine, stateMark } from './state.js';
import type { LogsView } from '../logs/logs.js';

/** Times in Unix seconds. */
interface Range {
  from: number;
  to?: number;
}

const TAIL_MS = 2000;
/** The lines that are shown until it is known how many there are. */
const LINES_WAITING = 8;
/** Lines are counted no more often. */
const VOLUME_MS = 15_000;
/** A line may be written later than one with a later time, and get into a Loki later still. */
const OVERLAP_S = 5;
const LATE_S = { embedded: OVERLAP_S, loki: 60 };

const COLUMNS = ['Time', 'Level', 'Source', 'Message'];

/** For eyes alone: each line says what it is. */
function columnNames() {
  const names = COLUMNS.map((textContent) => el('span', { textContent }));
  return el('div', { className: 'log-head', ariaHidden: 'true' }, ...names);
}

/** The log: filtered, newest first, and followed until the user stops it. */
export class Logs {
  element = el('section', { className: 'card whole logs', ariaLabel: 'Logs' });
  #filter;
  #list = new LogList((id) => setPlace({ contains: id }));
  #state = el('p', { className: 'quiet', role: 'status' });
  #problem = el('div', {});
  #pause = el('button', { id: 'tail' });
  /** Until the first answer. */
  #waiting = skeleton(LINES_WAITING);
  #older = el('button', { id: 'older', textContent: 'Load older lines' });
  #volume = new LogVolume((from, to) => setPlace({ from: String(from), to: String(to) }));
  #volumeMs = -Infinity;
  #clear = el('button', { className: 'small', textContent: 'Clear filters', hidden: true });
  #paused = false;
  #truncated = false;
  /** Unix seconds up to which all lines have been asked for, and from which on none was lost. */
  #seenTo = 0;
  #source: LogsView['source'] = 'loki';
  #completeFrom: number | null = null;
  #order = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(levels: readonly string[]) {
    this.#filter = new LogFilter(levels);
    this.#pause.onclick = () => {
      this.#paused = !this.#paused;
      this.#showPause();
      if (!this.#paused) void this.load();
    };
    this.#older.onclick = () => void this.#loadOlder();
    this.#clear.onclick = () => setPlace({ services: '', nodes: '', level: '', contains: '' });
    this.element.append(
      this.#filter.element,
      el(
        'div',
        { className: 'row' },
        this.#state,
        el('span', { className: 'grow' }),
        this.#clear,
        this.#pause,
      ),
      this.#problem,
      this.#volume.element,
      columnNames(),
      this.#waiting,
      this.#list.element,
      this.#older,
    );
    this.#showPause();
  }

  /** All lines anew: the place has changed. */
  async load() {
    clearTimeout(this.#timer);
    const order = ++this.#order;
    this.#filter.show();
    this.#showPause();
    this.#state.textContent = 'Loading…';
    this.element.ariaBusy = 'true';
    this.#seenTo = 0;
    const { from, to } = currentRange();
    await this.#ask(order, isLive() ? { from } : { from, to }, (answer) => this.#showAll(answer));
    this.element.ariaBusy = 'false';
    this.#volumeMs = -Infinity;
    void this.#count(order);
    this.#next(order);
  }

  /**
   * How many lines there are, of the whole range; with a text to look for, of the lines shown: what
   * they hide could be found out by counting others.
   */
  async #count(order: number) {
    if (performance.now() - this.#volumeMs < VOLUME_MS) return;
    this.#volumeMs = performance.now();
    const { from, to } = currentRange();
    if (place.contains !== '') {
      const { marks, oldest } = this.#list;
      const completeFrom = this.#truncated ? (oldest ?? null) : this.#completeFrom;
      this.#volume.show(volumeOfLines(marks, from, to, completeFrom, this.#truncated));
      return;
    }
    const { services, nodes, level, own } = place;
    const asked = query({ services, nodes, level, own, from, to });
    try {
      const view = await call('GET', `/api/monitor/logs/volume?${asked}`, undefined, true);
      if (order === this.#order) this.#volume.show(view.state === 'ok' ? view : null);
    } catch {
      // The lines say that nothing can be asked for.
      if (order === this.#order) this.#volume.show(null);
    }
  }

  /** Goes back in time, also beyond the range: by as much again. */
  async #loadOlder() {
    const oldest = this.#list.oldest;
    if (oldest === undefined) return;
    const { from, to } = currentRange();
    const range = { from: Math.min(from, oldest - (to - from)), to: oldest + 0.001 };
    this.#older.disabled = true;
    let found = 0;
    await this.#ask(this.#order, range, ({ lines, truncated }) => {
      found = this.#list.addOlder(lines);
      this.#truncated = truncated;
    });
    this.#older.disabled = false;
    this.#older.textContent =
      found === 0 ? 'No older lines found. Check again' : 'Load older lines';
  }

  destroy() {
    this.#volume.destroy();
    clearTimeout(this.#timer);
    this.#order += 1;
  }

  #next(order: number) {
    clearTimeout(this.#timer);
    if (order !== this.#order || this.#paused || !isLive()) return;
    this.#timer = setTimeout(() => void this.#follow(order), TAIL_MS);
  }

  async #follow(order: number) {
    if (!document.hidden) {
      const { newest } = this.#list;
      const seenTo = this.#seenTo;
      const known = Math.max(newest - OVERLAP_S, seenTo - LATE_S[this.#source]);
      const { from } = currentRange();
      if (seenTo === 0) await this.#ask(order, { from }, (answer) => this.#showAll(answer));
      else
        await this.#ask(order, { from: Math.max(from, known) }, (answer) => {
          const older = answer.truncated ? Math.max(newest, known) : null;
          this.#list.add(answer.lines, older, this.#lostSince(seenTo, answer));
        });
    }
    void this.#count(order);
    this.#next(order);
  }

  #showAll({ lines, truncated, complete_from_unix_s: completeFrom }: LogsView) {
    this.#truncated = truncated;
    this.#completeFrom = completeFrom;
    this.#list.show(lines, truncated ? null : completeFrom);
  }

  /** @returns where lines were lost before they could be asked for; null when none was */
  #lostSince(from: number, { complete_from_unix_s: to }: LogsView) {
    const isNews = to !== null && to !== this.#completeFrom && to > from;
    this.#completeFrom = to ?? this.#completeFrom;
    return isNews ? { from, to } : null;
  }

  async #ask(order: number, range: Range, take: (answer: LogsView) => void) {
    const { services, nodes, level, contains, own, limit } = place;
    const asked = query({ services, nodes, level, contains, own, limit, ...range });
    try {
      const answer = await call('GET', `/api/monitor/logs?${asked}`, undefined, true);
      if (order !== this.#order) return;
      this.#waiting.remove();
      this.#filter.offer(answer);
      this.#showProblem(
        answer.state === 'ok' ? null : (answer.reason ?? 'The log could not be read.'),
      );
      if (answer.state === 'ok') {
        take(answer);
        // An answer with older lines says nothing of what has been seen by now.
        if (range.to === undefined || this.#seenTo === 0) {
          this.#seenTo = answer.seen_to_unix_s ?? 0;
        }
        this.#source = answer.source;
      }
      this.#showState(answer.state === 'ok');
    } catch (error) {
      if (order !== this.#order) return;
      this.#waiting.remove();
      this.#showProblem(messageOf(error));
      this.#showState(false);
    }
  }

  /** @param known whether the log could be read */
  #showState(known: boolean) {
    const { count } = this.#list;
    // Where all that is kept is shown, there is nothing older.
    const isAll = !this.#truncated && this.#completeFrom !== null;
    this.#older.hidden = count === 0 || this.#list.isFull || isAll;
    const filtered = [place.services, place.nodes, place.level, place.contains].some(
      (one) => one !== '',
    );
    this.#clear.hidden = !filtered;
    const passes = this.#truncated
      ? 'No matching lines in the part searched so far. Narrow the range.'
      : 'No lines match the filter in this range.';
    const none = filtered ? passes : 'No lines in this range.';
    const lines = count === 1 ? '1 line' : `${count} lines`;
    const some = this.#truncated
      ? `${lines} shown. More match: narrow the filter or the time range.`
      : lines;
    const text = count === 0 ? (known ? none : '') : some;
    if (this.#state.textContent !== text) this.#state.textContent = text;
  }

  #showProblem(text: string | null) {
    const nodes = text === null ? [] : [emptyLine(stateMark('unknown', localTimes(text)))];
    this.#problem.replaceChildren(...nodes);
  }

  #showPause() {
    this.#pause.hidden = !isLive();
    this.#pause.textContent = this.#paused ? 'Follow' : 'Pause';
    this.#pause.title = this.#paused
      ? 'Show new lines as they arrive'
      : 'New lines appear automatically';
  }
}
