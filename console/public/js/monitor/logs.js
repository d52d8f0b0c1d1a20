import { call, query } from '../api.js';
import { el } from '../dom.js';
import { LogFilter } from './log-filter.js';
import { LogList } from './log-list.js';
import { place, setPlace } from './place.js';
import { currentRange, isLive } from './range.js';
import { stateMark } from './state.js';
import { localTimes } from './units.js';

const TAIL_MS = 2000;
/** A line may be written later than one with a later time. */
const OVERLAP_S = 5;

/** The log: filtered, newest first, and followed until somebody stops it. */
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
  #order = 0;
  #timer = 0;

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
    const { from, to } = currentRange();
    await this.#ask(order, isLive() ? { from } : { from, to }, (answer) => {
      this.#truncated = answer.truncated;
      this.#list.show(answer.lines);
    });
    this.element.setAttribute('aria-busy', 'false');
    this.#next(order);
  }

  destroy() {
    clearTimeout(this.#timer);
    this.#order += 1;
  }

  #next(order) {
    clearTimeout(this.#timer);
    if (order !== this.#order || this.#paused || !isLive()) return;
    this.#timer = setTimeout(() => void this.#follow(order), TAIL_MS);
  }

  async #follow(order) {
    const { newest } = this.#list;
    const from = newest === 0 ? currentRange().from : newest - OVERLAP_S;
    if (!document.hidden) {
      await this.#ask(order, { from }, ({ lines, truncated }) => {
        if (newest === 0) this.#truncated = truncated;
        this.#list.add(lines, truncated);
      });
    }
    this.#next(order);
  }

  async #ask(order, range, take) {
    const { services, nodes, level, contains, limit } = place;
    const path = `/api/monitor/logs?${query({ services, nodes, level, contains, limit, ...range })}`;
    try {
      const answer = await call('GET', path, undefined, true);
      if (order !== this.#order) return;
      this.#filter.offer(answer);
      this.#showProblem(
        answer.state === 'ok' ? null : (answer.reason ?? 'The log cannot be read.'),
      );
      if (answer.state === 'ok') take(answer);
      this.#showState(answer.state === 'ok');
    } catch (error) {
      if (order !== this.#order) return;
      this.#showProblem(error.message);
      this.#showState(false);
    }
  }

  #showState(known) {
    const { count } = this.#list;
    const filtered = [place.services, place.nodes, place.level, place.contains].some(
      (one) => one !== '',
    );
    this.#clear.hidden = !filtered;
    const more = this.#truncated ? '; there are more: narrow the filter or the range' : '';
    const none = filtered ? 'No line passes the filter in this range.' : 'No lines in this range.';
    const text =
      count === 0 ? (known ? none : '') : `${count} line${count === 1 ? '' : 's'}${more}`;
    if (this.#state.textContent !== text) this.#state.textContent = text;
  }

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
