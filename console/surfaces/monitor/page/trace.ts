import { timeAt } from '../../../ui/clock.js';
import { call, query } from '../../../ui/api.js';
import { el, messageOf, randomId, shownText } from '../../../ui/dom.js';
import { icon, iconButton } from '../../../ui/icons.js';
import { select } from '../../../ui/parts.js';
import { plainTable, scrolled, type TableColumns } from './cells.js';
import { setPlace } from './place.js';
import { emptyLine, stateMark } from './state.js';
import { figure } from './units.js';
import type { TraceEntry as Entry, TraceView as View } from '../trace.js';

const POLL_MS = 1000;
/** More than anybody reads; older rows go. */
const ROWS_MAX = 500;
/** Powers of ten, in milliseconds, between which the bar of a request's time grows. */
const BAR_POWERS = { least: -1, most: 4 };

const COLUMNS: TableColumns = [
  ['Time'],
  ['Status'],
  ['Operation'],
  ['Bucket and key'],
  ['Duration', 'number'],
  ['Backend', 'number'],
  ['Received', 'number'],
  ['Sent', 'number'],
  ['Client'],
  ['', '', 'Details'],
];

type Options = readonly (readonly [value: string, text: string])[];

const same = (...all: string[]) => all.map((name) => [name, name] as const);
const STATUSES: Options = [
  ['', 'Any status'],
  ['errors', 'Errors (4xx, 5xx)'],
  ...same('2xx', '3xx', '4xx', '5xx'),
];
const METHODS: Options = [['', 'Any method'], ...same('GET', 'HEAD', 'PUT', 'POST', 'DELETE')];
const SAMPLES: Options = [
  ['1', 'All requests'],
  ...['10', '100', '1000'].map((every) => [every, `1 in ${every}`] as const),
];

function choice(label: string, options: Options) {
  const made = select(label.toLowerCase(), options);
  made.ariaLabel = label;
  return made;
}

/** Requests of the gateway as they end. Nothing is asked of the gateway before Start. */
export class Trace {
  element = el('section', { className: 'card whole trace', ariaLabel: 'Trace' });
  #id = randomId();
  #status = choice('Status', STATUSES);
  #method = choice('Method', METHODS);
  #every = choice('Sample', SAMPLES);
  #operation = el('input', { type: 'search', maxLength: 64, placeholder: 'GetObject' });
  #bucket = el('input', { type: 'search', maxLength: 255 });
  #minMs = el('input', { type: 'number', min: '0', max: '86400000', placeholder: '0' });
  #toggle = el('button', { id: 'trace-toggle', className: 'primary' });
  #clear = el('button', { type: 'button', textContent: 'Clear' });
  #state = el('p', { className: 'quiet', role: 'status' });
  #problem = el('div', {});
  #wide = scrolled('Requests', plainTable('Requests, newest first', COLUMNS, []));
  #rows = this.#wide.querySelector('tbody') ?? el('tbody');
  #empty = emptyLine();
  #isOn = false;
  #after = 0;
  #count = 0;
  #order = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#rows.id = 'trace-rows';
    this.#toggle.onclick = () => (this.#isOn ? this.#stop() : this.#start());
    this.#clear.onclick = () => this.#forget();
    const form = el(
      'form',
      { className: 'row filters', role: 'search', ariaLabel: 'Filter requests' },
      this.#status,
      this.#method,
      el('label', {}, 'Operation ', this.#operation),
      el('label', {}, 'Bucket ', this.#bucket),
      el('label', {}, 'Slower than ', this.#minMs, ' ms'),
      this.#every,
    );
    form.onsubmit = (event) => event.preventDefault();
    form.onkeydown = (event) => {
      const isField = (event.target as Element).matches('input');
      if (event.key === 'Enter' && isField && !this.#isOn) this.#start();
    };
    this.element.append(
      form,
      el(
        'div',
        { className: 'row' },
        this.#state,
        el('span', { className: 'grow' }),
        this.#clear,
        this.#toggle,
      ),
      this.#problem,
      this.#empty,
      this.#wide,
    );
    this.#show();
  }

  destroy() {
    this.#stop();
  }

  #start() {
    this.#isOn = true;
    this.#show();
    void this.#look(++this.#order);
  }

  /** The gateway stops by itself ten seconds after the last look. */
  #stop() {
    this.#isOn = false;
    this.#order += 1;
    clearTimeout(this.#timer);
    this.#show();
  }

  #forget() {
    this.#rows.replaceChildren();
    this.#count = 0;
    this.#show();
  }

  async #look(order: number) {
    if (!document.hidden) {
      const asked = query({
        id: this.#id,
        after: this.#after,
        every: this.#every.value,
        status: this.#status.value,
        method: this.#method.value,
        operation: this.#operation.value.trim(),
        bucket: this.#bucket.value.trim(),
        min_ms: this.#minMs.value,
      });
      try {
        const view = await call('GET', `/api/monitor/trace?${asked}`, undefined, true);
        if (order !== this.#order) return;
        this.#take(view);
      } catch (error) {
        if (order !== this.#order) return;
        this.#showProblem(messageOf(error));
      }
    }
    this.#timer = setTimeout(() => void this.#look(order), POLL_MS);
  }

  #take(view: View) {
    if (view.state !== 'ok') {
      this.#showProblem(view.reason);
      return;
    }
    this.#showProblem(
      view.skipped === 0
        ? null
        : `${figure(view.skipped, 'count')} matching requests are not shown. Choose a sample rate or add filters.`,
    );
    // A gateway that was started again counts anew.
    this.#after = view.next;
    this.#count += view.entries.length;
    this.#rows.prepend(...view.entries.map(rowsOf).reverse());
    while (this.#rows.children.length > ROWS_MAX) this.#rows.lastElementChild?.remove();
    this.#show();
  }

  #showProblem(text: string | null) {
    if (this.#problem.textContent.endsWith(text ?? '') && text !== null) return;
    this.#problem.replaceChildren(...(text === null ? [] : [stateMark('unknown', text)]));
  }

  #show() {
    const name = this.#isOn ? 'Stop' : 'Start';
    if (this.#toggle.textContent !== name) {
      this.#toggle.replaceChildren(icon(this.#isOn ? 'circle-stop' : 'play'), name);
    }
    const text = this.#isOn ? 'Requests appear as they finish.' : 'Tracing is stopped.';
    if (this.#state.textContent !== text) this.#state.textContent = text;
    this.#clear.hidden = this.#count === 0;
    this.#empty.hidden = this.#count > 0;
    this.#wide.hidden = this.#count === 0;
    this.#empty.textContent = this.#isOn
      ? 'No matching requests have finished yet.'
      : 'Select Start to show requests from all listeners as they finish. Other users are not affected, and nothing is stored.';
  }
}

function rowsOf(entry: Entry) {
  const { time, status, method, operation, bucket, key, total_ms: ms, remote } = entry;
  const at = Date.parse(time) / 1000;
  const path = bucket === null ? '–' : key === null ? bucket : `${bucket}/${key}`;
  const kind = status >= 500 ? 'crit' : status >= 400 ? 'warn' : 'ok';
  const number = (textContent: string) => el('td', { className: 'number', textContent });
  const bar = el('span', { className: 'took', ariaHidden: 'true' });
  bar.style.width = `${barShare(ms)}%`;
  const took = number(figure(ms / 1000, 's'));
  took.append(bar);
  const row = el(
    'tr',
    {},
    el('td', {}, el('time', { dateTime: time, textContent: timeAt(at, 'second') })),
    el('td', {}, stateMark(kind, String(status))),
    el('td', { textContent: operation, title: method }),
    el('td', { className: 'path', textContent: shownText(path), title: path }),
    took,
    number(figure(entry.backend_ms / 1000, 's')),
    number(figure(entry.bytes_in, 'bytes')),
    number(figure(entry.bytes_out, 'bytes')),
    el('td', { textContent: remote === '' ? 'unknown' : remote }),
  );
  const toggle = iconButton('chevron-down', `Details for ${entry.request_id}`, () => {
    const next = row.nextElementSibling;
    const isOpen = next?.classList.contains('more') === true;
    if (isOpen) next.remove();
    else row.after(detailsOf(entry));
    toggle.ariaExpanded = String(!isOpen);
  });
  toggle.ariaExpanded = 'false';
  row.append(el('td', {}, toggle));
  return row;
}

/** @returns percent: short times differ as visibly as long ones */
function barShare(ms: number) {
  const { least, most } = BAR_POWERS;
  const share = (Math.log10(Math.max(ms, 1e-3)) - least) / (most - least);
  return Math.round(100 * Math.min(1, Math.max(0, share)));
}

function detailsOf(entry: Entry) {
  // The number of a row says nothing to a reader.
  const text = JSON.stringify({ ...entry, seq: undefined }, null, 2);
  const logs = el('button', {
    className: 'small',
    textContent: 'View log lines',
    onclick: () => setPlace({ tab: 'logs', contains: entry.request_id }),
  });
  const cell = el('td', { colSpan: COLUMNS.length }, el('pre', { textContent: text }), logs);
  return el('tr', { className: 'more' }, cell);
}
