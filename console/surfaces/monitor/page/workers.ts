import { call } from '../../../ui/api.js';
import { durationText, el } from '../../../ui/dom.js';
import { skeleton } from '../../../ui/skeleton.js';
import { dash, plainCell, table, type TableColumns } from './cells.js';
import { notOfNow, stateMark, unavailable } from './state.js';
import { figure } from './units.js';
import type { Unit } from '../panels/panel.js';
import type { WorkerView as Worker, WorkersView } from '../workers.js';

const COLUMNS: TableColumns = [
  ['Process'],
  ['PID', 'number'],
  ['State'],
  ['Uptime', 'number'],
  ['Restarts', 'number'],
  ['CPU', 'number'],
  ['Memory', 'number'],
  ['Requests', 'number'],
  ['Event loop lag', 'number'],
];

/** The rows that are shown until it is known how many there are. */
const ROWS = 4;

/** The processes of the gateway, for operators. */
export class Workers {
  /** Says what is so now, whatever the range. */
  everyTick = true;
  element = el('details', { className: 'card whole' });
  #summary = el('summary', { textContent: 'Workers' });
  #body = el('div', {}, skeleton(ROWS));

  constructor() {
    this.element.append(this.#summary, this.#body);
  }

  async load() {
    try {
      this.#show(await call('GET', '/api/monitor/workers', undefined, true));
    } catch (error) {
      this.#summary.textContent = 'Workers: unavailable';
      this.#body.replaceChildren(unavailable(error));
    }
  }

  #show(view: WorkersView) {
    const { items, state, at_unix_s: at } = view;
    this.#summary.textContent = `Workers: ${state === 'ok' ? counted(items) : 'unavailable'}`;
    const rows = items.map((item) => rowOf(item, at));
    const shown = rows.length > 0 ? [table('Workers', COLUMNS, rows)] : [];
    this.#body.replaceChildren(...notOfNow(view), ...shown);
  }
}

function counted(items: readonly Worker[]) {
  const up = items.filter((item) => item.state === 'up').length;
  return up === items.length ? `all ${up} up` : `${up} of ${items.length} up`;
}

/** @param at unix seconds */
function rowOf(item: Worker, at: number | null) {
  const number = (value: number | null, unit: Unit) =>
    el('td', { className: 'number' }, value === null ? dash() : figure(value, unit));
  const since = item.started_unix_s;
  const up = since === null || at === null ? dash() : durationText(at - since);
  const name = item.worker === null ? item.role : `${item.role} ${item.worker}`;
  const pid = plainCell(item.pid);
  pid.classList.add('number');
  return el(
    'tr',
    {},
    el('th', { scope: 'row', textContent: name }),
    pid,
    el('td', {}, stateMark(item.state, item.state)),
    el('td', { className: 'number' }, up),
    number(item.restarts, 'count'),
    number(item.cpu_ratio && Math.round(item.cpu_ratio * 100) / 100, 'ratio'),
    number(item.rss_bytes, 'bytes'),
    number(item.requests_per_s, 'per_s'),
    number(item.event_loop_lag_s, 's'),
  );
}
