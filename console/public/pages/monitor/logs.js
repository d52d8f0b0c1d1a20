import { call, query } from '../../js/api.js';
import { el, messageOf } from '../../js/dom.js';
import { LogFilter } from './log-filter.js';
import { LogList } from './log-list.js';
import { place, setPlace } from './place.js';
import { currentRange, isLive } from './range.js';
import { stateMark } from './state.js';
import { localTimes } from './units.js';

/**
 * @typedef {import('../../../surfaces/monitor/logs/logs.js').LogsView} LogsView
 * @typedef {{ from: number, to?: number }} Range unix seconds
 */

const TAIL_MS = 2000;
/** A line may be written later than one with a later time, and get into a Loki later still. */
const OVERLAP_S = 5;
const LATE_S = { embedded: OVERLAP_S, loki: 60 };

/** The log: filtered, newest first, and followed until the user stops it. */
export class Logs {
  element = el('section', { className: 'card whole logs' });
  #filter;
  #list = new LogList((id) => setPlace({ contains: id }));
  #state = el('p', { className: 'quiet' });
  #problem = el('div', {});
  #pause = el('button', { id: 'tail' });
  #clear = el('button', { className: 'small', textContent: 'Clear filters' });
  #paused = false;
  #truncated = false;
  /** Unix seconds up to which all lines have been asked for, and from which on none was lost. */
  #seenTo = 0;
  /** @type {LogsView['source']} */
  #source = 'loki';
  /** @type {number | null} */
  #completeFrom = null;
  #order = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {readonly string[]} levels */
  constructor(levels) {
    this.#filter = new LogFilter(levels);
    this.element.setAttribute('aria-label', 'Logs');
    this.#state.setAttribute('role', 'status');
    this.#pause.onclick = () => {
      this.#paused = !this.#paused;
      this.#showPause();
      if (!this.#paused) void this.load();
    };
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
      this.#list.element,
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
    this.element.setAttribute('aria-busy', 'true');
    this.#seenTo = 0;
    const { from, to } = currentRange();
    await this.#ask(order, isLive() ? { from } : { from, to }, (answer) => this.#showAll(answer));
    this.element.setAttribute('aria-busy', 'false');
    this.#next(order);
  }

  destroy() {
    clearTimeout(this.#timer);
    this.#order += 1;
  }

  /** @param {number} order */
  #next(order) {
    clearTimeout(this.#timer);
    if (order !== this.#order || this.#paused || !isLive()) return;
    this.#timer = setTimeout(() => void this.#follow(order), TAIL_MS);
  }

  /** @param {number} order */
  async #follow(order) {
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
    this.#next(order);
  }

  /** @param {LogsView} answer */
  #showAll({ lines, truncated, complete_from_unix_s: completeFrom }) {
    this.#truncated = truncated;
    this.#completeFrom = completeFrom;
    this.#list.show(lines, truncated ? null : completeFrom);
  }

  /**
   * @param {number} from
   * @param {LogsView} answer
   * @returns where lines were lost before they could be asked for; null when none was
   */
  #lostSince(from, { complete_from_unix_s: to }) {
    const isNews = to !== null && to !== this.#completeFrom && to > from;
    this.#completeFrom = to ?? this.#completeFrom;
    return isNews ? { from, to } : null;
  }

  /**
   * @param {number} order
   * @param {Range} range
   * @param {(answer: LogsView) => void} take
   */
  async #ask(order, range, take) {
    const { services, nodes, level, contains, limit } = place;
    const asked = query({ services, nodes, level, contains, limit, ...range });
    try {
      const answer = await call('GET', `/api/monitor/logs?${asked}`, undefined, true);
      if (order !== this.#order) return;
      this.#filter.offer(answer);
      this.#showProblem(
        answer.state === 'ok' ? null : (answer.reason ?? 'The log cannot be read.'),
      );
      if (answer.state === 'ok') {
        take(answer);
        this.#seenTo = answer.seen_to_unix_s ?? 0;
        this.#source = answer.source;
      }
      this.#showState(answer.state === 'ok');
    } catch (error) {
      if (order !== this.#order) return;
      this.#showProblem(messageOf(error));
      this.#showState(false);
    }
  }

  /** @param {boolean} known whether the log could be read */
  #showState(known) {
    const { count } = this.#list;
    const filtered = [place.services, place.nodes, place.level, place.contains].some(
      (one) => one !== '',
    );
    this.#clear.hidden = !filtered;
    const more = this.#truncated ? '; there are more: narrow the filter or the range' : '';
    const passes = this.#truncated
      ? 'No line passes the filter as far as was looked: narrow the range.'
      : 'No line passes the filter in this range.';
    const none = filtered ? passes : 'No lines in this range.';
    const text =
      count === 0 ? (known ? none : '') : `${count} line${count === 1 ? '' : 's'}${more}`;
    if (this.#state.textContent !== text) this.#state.textContent = text;
  }

  /** @param {string | null} text */
  #showProblem(text) {
    const nodes =
      text === null
        ? []
        : [el('p', { className: 'empty' }, stateMark('unknown', localTimes(text)))];
    this.#problem.replaceChildren(...nodes);
  }

  #showPause() {
    this.#pause.hidden = !isLive();
    this.#pause.textContent = this.#paused ? 'Follow' : 'Pause';
    this.#pause.title = this.#paused
      ? 'Show new lines as they arrive'
      : 'New lines arrive by themselves';
  }
}
