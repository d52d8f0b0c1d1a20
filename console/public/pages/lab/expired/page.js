import { call, MISSED } from '../../../js/api.js';
import { ChartFigure } from '../../../js/charts/figure.js';
import { $, el } from '../../../js/dom.js';
import { fail } from '../../../js/shell.js';
import { timeElement } from '../../../js/times.js';
import {
  badge,
  card,
  field,
  fill,
  input,
  pageHead,
  problem,
  setViewState,
  table,
  viewState,
} from '../ground.js';
import { findings, lanesOf, objectTable, summaryOf } from './view.js';

/**
 * @typedef {import('../../../../surfaces/lab/expired/expired-runs.js').ExpiredRun} ExpiredRun
 * @typedef {import('../../../../surfaces/lab/expired/page.js').ExpiredRunsView} RunsView
 * @typedef {import('../../../../surfaces/lab/expired/observation.js').ExpiredView} View
 */

const OVER = ['done', 'failed', 'cancelled', 'reverted'];

/** @type {(id: string | undefined) => void} what to do with news: of one run, or of any */
let onNews = () => undefined;

/** @type {import('../../../js/api.js').Topics} */
export const topics = {
  runs: ({ id, kind }) => {
    if (kind === 'lab.expired') onNews(id);
  },
};

/** Whatever was said while there was no connection is asked for now. */
export function onConnection(/** @type {import('../../../js/api.js').StreamState} */ state) {
  if (state !== 'stale') onNews(undefined);
}

/** Writes objects that expire, and shows what becomes of them. */
export async function mount() {
  const main = $('#main');
  main.classList.add('lab-page');
  const runs = el('div');
  const detail = el('div', { className: 'lab-page' });
  let shown = '';
  let isOver = false;
  let isAsking = false;
  /** @type {ChartFigure | undefined} */
  let lanes;
  const refresh = () =>
    fill(runs, async () =>
      runTable(await call('GET', '/lab/api/expired/runs', undefined, true), open),
    );
  const show = async () => {
    if (isAsking) return;
    isAsking = true;
    const id = shown;
    try {
      const run = await call('GET', `/lab/api/expired/runs/${id}`, undefined, true);
      if (shown !== id) return;
      isOver = OVER.includes(run.state);
      const view = run.result ?? run.detail;
      if (view !== null) {
        const chart = lanesOf(view);
        if (lanes === undefined) lanes = new ChartFigure('Course of the objects', chart);
        else lanes.show(chart);
      }
      detail.replaceChildren(...runView(run, view, lanes));
      if (isOver) await refresh();
    } catch (error) {
      if (shown === id) detail.replaceChildren(problem(error));
    } finally {
      isAsking = false;
    }
  };
  const open = (/** @type {string} */ id) => {
    setViewState({ run: id });
    shown = id;
    isOver = false;
    detail.replaceChildren();
    void show();
  };
  onNews = (id) => {
    if (id !== undefined && id !== shown) void refresh();
    else if (shown !== '' && !isOver) void show();
  };
  window.addEventListener(MISSED, () => onNews(undefined));
  main.append(
    pageHead(
      'Expired-but-Alive Observatory',
      'What becomes of objects after they have expired, until they are gone from all disks.',
    ),
    startForm(open),
    detail,
    runs,
  );
  await refresh();
  const { run } = viewState();
  if (run !== undefined) open(run);
}

/** @param {(id: string) => void} onStart */
function startForm(onStart) {
  const number = (
    /** @type {string} */ name,
    /** @type {string} */ value,
    /** @type {string} */ min,
    /** @type {string} */ max,
  ) => input(name, { type: 'number', min, max, value });
  const controls = {
    count: number('count', '8', '1', '50'),
    first_s: number('first_s', '5', '2', '3600'),
    step_s: number('step_s', '5', '0', '600'),
    bytes: number('bytes', '1024', '0', '1048576'),
    watch_s: number('watch_s', '3600', '10', '21600'),
    expirer_s: number('expirer_s', '720', '10', '21600'),
  };
  const said = el('div');
  const form = el(
    'form',
    { className: 'lab-page' },
    el(
      'div',
      { className: 'lab-form' },
      field('Objects', controls.count, '1 to 50'),
      field('First expiry', controls.first_s, 'seconds from now'),
      field('Then every', controls.step_s, 'seconds'),
      field('Bytes', controls.bytes),
      field('Watch for', controls.watch_s, 'seconds after the last expiry'),
      field('Expirer is late after', controls.expirer_s, 'seconds'),
    ),
    el(
      'div',
      { className: 'row' },
      el('button', { className: 'primary', textContent: 'Write and watch' }),
    ),
    said,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    said.replaceChildren();
    try {
      const values = Object.entries(controls).map(([name, { value }]) => [name, Number(value)]);
      const { id } = await call('POST', '/lab/api/expired/runs', Object.fromEntries(values));
      onStart(id);
    } catch (error) {
      said.replaceChildren(problem(error));
    }
  });
  return card('Objects that expire', form);
}

/**
 * @param {ExpiredRun} run
 * @param {View | null} view
 * @param {ChartFigure | undefined} lanes
 */
function runView(run, view, lanes) {
  const isOver = OVER.includes(run.state);
  const head = el(
    'div',
    { className: 'row' },
    badge(run.state, isOver ? (run.state === 'done' ? 'ok' : 'warn') : 'info'),
    el('span', {}, `${run.target}, by ${run.actor}, `, timeElement(1000 * run.started_unix_s)),
  );
  if (!isOver) {
    const end = el('button', { textContent: 'End and keep' });
    end.onclick = () => {
      end.disabled = true;
      call('POST', `/lab/api/expired/runs/${run.id}/finish`, {}).catch(fail);
    };
    const cancel = el('button', {
      textContent: 'Cancel',
      onclick: () => {
        call('DELETE', `/lab/api/expired/runs/${run.id}`).catch(fail);
      },
    });
    head.append(el('span', { className: 'grow' }), end, cancel);
  }
  /** @type {Node[]} */
  const parts = [head];
  if (run.error !== null)
    parts.push(el('p', { className: 'error', textContent: run.error.message }));
  if (view === null) {
    if (isOver)
      parts.push(el('p', { textContent: 'It was ended before there was something to keep.' }));
    return [card('Run', ...parts)];
  }
  return [
    card('Run', ...parts, summaryOf(view)),
    findings(view),
    ...(lanes === undefined ? [] : [lanes.element]),
    objectTable(run, view, isOver),
  ];
}

/**
 * @param {RunsView} view
 * @param {(id: string) => void} onOpen
 */
function runTable({ items }, onOpen) {
  if (items.length === 0) return [];
  return [
    card(
      'Runs',
      table(
        'Runs',
        [
          {
            title: 'Started',
            value: (row) => new Date(1000 * row.started_unix_s).toISOString(),
            cell: (row) => timeElement(1000 * row.started_unix_s),
          },
          { title: 'Container', value: (row) => row.target },
          { title: 'By', value: (row) => row.actor },
          { title: 'State', value: (row) => row.state },
          {
            title: 'Result',
            value: (row) => row.id,
            cell: (row) =>
              el('button', {
                className: 'plain',
                textContent: 'Show',
                onclick: () => onOpen(row.id),
              }),
          },
        ],
        items,
      ),
    ),
  ];
}
