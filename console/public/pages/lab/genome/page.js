import { call, MISSED, raw } from '../../../js/api.js';
import { $, el } from '../../../js/dom.js';
import { fail } from '../../../js/shell.js';
import { timeElement } from '../../../js/times.js';
import {
  badge,
  card,
  download,
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
import { frontView } from './front.js';

/**
 * @typedef {import('../../../../surfaces/lab/genome/genome-runs.js').GenomeRun} GenomeRun
 * @typedef {import('../../../../surfaces/lab/genome/page.js').GenomeRunsView} GenomeRunsView
 */

const OVER = ['done', 'failed', 'cancelled', 'reverted'];

/** @type {(id: string | undefined) => void} what to do with news: of one search, or of any */
let onNews = () => undefined;

/** @type {import('../../../js/api.js').Topics} */
export const topics = {
  runs: ({ id, kind }) => {
    if (kind === 'lab.genome') onNews(id);
  },
};

/** Whatever was said while there was no connection is asked for now. */
export function onConnection(/** @type {import('../../../js/api.js').StreamState} */ state) {
  if (state !== 'stale') onNews(undefined);
}

/** Starts searches for weights, and shows what they found. */
export async function mount() {
  const main = $('#main');
  main.classList.add('lab-page');
  const form = el('div');
  const runs = el('div');
  const detail = el('div', { className: 'lab-page' });
  main.append(
    pageHead(
      'Cluster Genome Lab',
      'Searches device weights that move less, survive more and waste less. It writes no ring.',
    ),
    form,
    runs,
    detail,
  );
  let shown = '';
  let isOver = false;
  const refresh = () =>
    fill(runs, async () => runTable(await call('GET', '/lab/api/genome/runs'), open));
  const show = async () => {
    const id = shown;
    try {
      const run = await call('GET', `/lab/api/genome/runs/${id}`, undefined, true);
      if (shown !== id) return;
      isOver = OVER.includes(run.state);
      detail.replaceChildren(...runView(run));
      if (isOver) await refresh();
    } catch (error) {
      if (shown === id) detail.replaceChildren(problem(error));
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
  await fill(form, async () => {
    const { items } = await call('GET', '/lab/api/rings');
    const names = items.filter(({ name }) => name.startsWith('object')).map(({ name }) => name);
    return [searchForm(names, open)];
  });
  await refresh();
  const { run } = viewState();
  if (run !== undefined) open(run);
}

/**
 * @param {readonly string[]} rings
 * @param {(id: string) => void} onStart
 */
function searchForm(rings, onStart) {
  const number = (
    /** @type {string} */ name,
    /** @type {string} */ value,
    /** @type {string} */ max,
  ) => input(name, { type: 'number', min: '0', max, step: 'any', value });
  const controls = {
    ring: select(
      'ring',
      rings.map((name) => /** @type {const} */ ([name, name])),
    ),
    population: number('population', '40', '100'),
    generations: number('generations', '40', '60'),
    overload: number('overload', '0', '100'),
    seed: number('seed', '1', '4294967295'),
    lower: number('lower', '0.5', '1'),
    upper: number('upper', '2', '20'),
    device: number('device', '0.4', '1'),
    server: number('server', '0.3', '1'),
    zone: number('zone', '0.2', '1'),
    pair: number('pair', '0.1', '1'),
  };
  const value = (/** @type {HTMLInputElement} */ control) => Number(control.value);
  const said = el('div');
  const form = el(
    'form',
    { className: 'lab-page' },
    el(
      'div',
      { className: 'lab-form' },
      field('Ring', controls.ring),
      field('Candidates', controls.population, '4 to 100'),
      field('Generations', controls.generations, '1 to 60'),
      field('Overload', controls.overload),
      field('Seed', controls.seed, 'the same seed gives the same front'),
    ),
    el(
      'details',
      {},
      el('summary', { textContent: 'Bounds and faults' }),
      el(
        'div',
        { className: 'lab-form' },
        field('Lowest weight', controls.lower, 'times the current one'),
        field('Highest weight', controls.upper, 'times the current one'),
        field('A device fails', controls.device, 'how much it counts'),
        field('A server fails', controls.server, 'how much it counts'),
        field('A zone fails', controls.zone, 'how much it counts'),
        field('Two devices fail', controls.pair, 'how much it counts'),
      ),
    ),
    el('div', { className: 'row' }, el('button', { className: 'primary', textContent: 'Search' })),
    said,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    said.replaceChildren();
    try {
      const { id } = await call('POST', '/lab/api/genome/runs', {
        ring: controls.ring.value,
        population: value(controls.population),
        generations: value(controls.generations),
        overload: value(controls.overload),
        seed: value(controls.seed),
        bounds: { lower_factor: value(controls.lower), upper_factor: value(controls.upper) },
        faults: {
          device: value(controls.device),
          server: value(controls.server),
          zone: value(controls.zone),
          pair: value(controls.pair),
        },
      });
      onStart(id);
    } catch (error) {
      said.replaceChildren(problem(error));
    }
  });
  return card('Search', form);
}

/** @type {Record<GenomeRun['state'], 'ok' | 'warn' | 'crit' | 'info'>} */
const STATES = {
  intent: 'info',
  active: 'info',
  reverting: 'warn',
  stuck: 'crit',
  done: 'ok',
  failed: 'crit',
  cancelled: 'warn',
  reverted: 'warn',
};

/**
 * @param {GenomeRunsView} view
 * @param {(id: string) => void} onOpen
 */
function runTable({ items }, onOpen) {
  if (items.length === 0) return [];
  return [
    card(
      'Searches',
      table(
        'Searches',
        [
          {
            title: 'Started',
            value: (row) => new Date(1000 * row.started_unix_s).toISOString(),
            cell: (row) => timeElement(1000 * row.started_unix_s),
          },
          { title: 'Ring', value: (row) => row.target },
          { title: 'By', value: (row) => row.actor },
          { title: 'Seed', value: (row) => row.params.options.seed, number: true },
          {
            title: 'State',
            value: (row) => row.state,
            cell: (row) => badge(row.state, STATES[row.state]),
          },
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

/** @param {GenomeRun} run */
function runView(run) {
  if (!OVER.includes(run.state)) return [progressCard(run)];
  if (run.result === null) {
    const text = run.error?.message ?? 'The search was cancelled.';
    return [card('Search', el('p', { textContent: text }))];
  }
  return frontView(run, (candidate) => {
    raw('GET', `/lab/api/genome/runs/${run.id}/candidates/${candidate}/commands`)
      .then((answer) => answer.text())
      .then((text) => download(`${run.target}-weights.sh`, text, 'text/plain'))
      .catch(fail);
  });
}

/** @param {GenomeRun} run */
function progressCard(run) {
  const {
    generation = 0,
    generations = run.params.options.generations,
    front = [],
  } = run.detail ?? {};
  const bar = el('progress', { max: generations, value: generation });
  bar.setAttribute('aria-label', 'Generations');
  const cancel = el('button', {
    textContent: 'Cancel',
    onclick: () => {
      call('DELETE', `/lab/api/genome/runs/${run.id}`).catch(fail);
    },
  });
  const text = `Generation ${generation} of ${generations}: ${front.length} candidates that no other beats.`;
  return card('Searching', bar, el('p', { textContent: text }), cancel);
}
