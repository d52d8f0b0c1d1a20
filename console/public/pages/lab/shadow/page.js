import { call, MISSED } from '../../../js/api.js';
import { $, durationText, el } from '../../../js/dom.js';
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
  select,
  setViewState,
  table,
  viewState,
} from '../ground.js';
import { findingTable, matrixTable, summaryOf } from './findings.js';

/**
 * @typedef {import('../../../../surfaces/lab/shadow/page.js').ShadowRunsView} RunsView
 * @typedef {import('../../../../surfaces/lab/shadow/shadow-runs.js').ShadowWholeRun} Run
 */

const OVER = ['done', 'failed', 'cancelled', 'reverted'];
const OPERATORS = /** @type {const} */ ([
  ['header', 'Headers'],
  ['path', 'Paths'],
  ['query', 'Queries'],
  ['method', 'Methods'],
  ['body', 'Bodies'],
  ['length', 'Lengths and encodings'],
  ['step', 'Order of requests'],
]);

/** @type {(id: string | undefined) => void} what to do with news: of one run, or of any */
let onNews = () => undefined;

/** @type {import('../../../js/api.js').Topics} */
export const topics = {
  runs: ({ id, kind }) => {
    if (kind === 'lab.shadow') onNews(id);
  },
};

/** Whatever was said while there was no connection is asked for now. */
export function onConnection(/** @type {import('../../../js/api.js').StreamState} */ state) {
  if (state !== 'stale') onNews(undefined);
}

/** Starts runs, and shows what they find. */
export async function mount() {
  const main = $('#main');
  main.classList.add('lab-page');
  const form = el('div');
  const runs = el('div');
  const detail = el('div', { className: 'lab-page' });
  let shown = '';
  let isOver = false;
  let isAsking = false;
  const refresh = () =>
    fill(runs, async () => {
      const view = await call('GET', '/lab/api/shadow/runs', undefined, true);
      return runTable(view, open);
    });
  const show = async () => {
    if (isAsking) return;
    isAsking = true;
    const id = shown;
    try {
      const run = await call('GET', `/lab/api/shadow/runs/${id}`, undefined, true);
      if (shown !== id) return;
      isOver = OVER.includes(run.state);
      detail.replaceChildren(...runView(run, isOver));
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
      'Shadow',
      'Sends odd requests to this cluster and to another one, in containers of its own, and compares the answers.',
    ),
    form,
    detail,
    runs,
  );
  await fill(form, async () => {
    const view = await call('GET', '/lab/api/shadow/runs', undefined, true);
    runs.replaceChildren(...runTable(view, open));
    return [startForm(view, open)];
  });
  const { run } = viewState();
  if (run !== undefined) open(run);
}

/**
 * @param {RunsView} view
 * @param {(id: string) => void} onStart
 */
function startForm({ modes, peer }, onStart) {
  const names = {
    single: 'This cluster alone',
    dual: `This cluster and ${peer}, Swift`,
    s3: `The gateway and ${peer}, S3`,
  };
  const open = modes.filter(({ needs }) => needs === null);
  const mode = select(
    'mode',
    open.map((one) => /** @type {const} */ ([one.mode, names[one.mode]])),
  );
  const best = open.at(-1)?.mode;
  if (best !== undefined) mode.value = best;
  const seed = input('seed', { type: 'number', min: '0', max: '4294967295', value: '1' });
  const cases = input('cases', { type: 'number', min: '1', max: '5000', value: '100' });
  const boxes = OPERATORS.map(([name, text]) => {
    const box = input(name, { type: 'checkbox', checked: true });
    return { name, box, label: el('label', { className: 'check' }, box, text) };
  });
  const said = el('div');
  const form = el(
    'form',
    { className: 'lab-page' },
    el(
      'div',
      { className: 'lab-form' },
      field('Compare', mode),
      field('Seed', seed, 'the same seed sends the same'),
      field('Cases', cases, '1 to 5000'),
    ),
    el(
      'fieldset',
      {},
      el('legend', { textContent: 'What is changed' }),
      el('div', { className: 'row' }, ...boxes.map(({ label }) => label)),
    ),
    el(
      'div',
      { className: 'row' },
      el('button', { className: 'primary', textContent: 'Start', disabled: open.length === 0 }),
    ),
    said,
  );
  const missing = modes.flatMap((one) =>
    one.needs === null ? [] : [`${names[one.mode]}: needs ${one.needs}.`],
  );
  if (missing.length > 0) {
    form.append(el('p', { className: 'lab-note', textContent: missing.join(' ') }));
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    said.replaceChildren();
    try {
      const { id } = await call('POST', '/lab/api/shadow/runs', {
        mode: mode.value,
        seed: Number(seed.value),
        cases: Number(cases.value),
        operators: boxes.filter(({ box }) => box.checked).map(({ name }) => name),
      });
      onStart(id);
    } catch (error) {
      said.replaceChildren(problem(error));
    }
  });
  return card('Compare', form);
}

/**
 * @param {Run} run
 * @param {boolean} isOver
 */
function runView(run, isOver) {
  const { params, state, error, ended_unix_s: ended, started_unix_s: started } = run;
  const sides = params.b === null ? params.a : `${params.a} and ${params.b}`;
  const head = el(
    'div',
    { className: 'row' },
    badge(state, isOver ? (state === 'done' ? 'ok' : 'warn') : 'info'),
    el('span', {}, `${sides}, seed ${params.seed}, by ${run.actor}, `, timeElement(1000 * started)),
  );
  if (ended !== null)
    head.append(el('span', { textContent: `took ${durationText(ended - started)}` }));
  if (!isOver) {
    const cancel = el('button', {
      textContent: 'Cancel',
      onclick: () => {
        call('DELETE', `/lab/api/shadow/runs/${run.id}`).catch(fail);
      },
    });
    head.append(el('span', { className: 'grow' }), cancel);
  }
  /** @type {Node[]} */
  const parts = [head];
  if (error !== null) parts.push(el('p', { className: 'error', textContent: error.message }));
  const view = run.result ?? run.detail;
  if (view === null) return [card('Run', ...parts)];
  return [
    card('Run', ...parts, summaryOf(view, params.cases)),
    findingTable(view, params.mode),
    matrixTable(view),
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
          { title: 'Mode', value: (row) => row.params.mode },
          { title: 'Seed', number: true, value: (row) => row.params.seed },
          { title: 'Cases', number: true, value: (row) => row.params.cases },
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
