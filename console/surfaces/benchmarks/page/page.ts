import { call } from '../../../ui/api.js';
import { $, confirmed, durationText, el } from '../../../ui/dom.js';
import {
  badge,
  card,
  fill,
  numberText,
  pageHead,
  problem,
  setViewState,
  table,
  viewState,
} from '../../../ui/parts.js';
import { fail } from '../../../ui/shell.js';
import { timeElement } from '../../../ui/times.js';
import { comparison, nameOf } from './comparison.js';
import type { BenchmarkRow as ResultRow } from '../results.js';
import type { BenchmarkNews, BenchmarkRun, BenchmarkRunRow as RunRow } from '../runs.js';
import type { BenchmarksView } from '../surface.js';

const STATES: Record<BenchmarkRun['state'], 'ok' | 'warn' | 'crit' | 'info'> = {
  running: 'info',
  done: 'ok',
  failed: 'crit',
  cancelled: 'warn',
  interrupted: 'warn',
};

/** Where the stream of events is away, the page asks. */
const POLL_MS = 5000;

/** Called when the stream of events has news; set by the page. */
let onNews: (news: BenchmarkNews) => void = () => undefined;

export const topics = {
  benchmarks: (news: Parameters<typeof onNews>[0]) => onNews(news),
};

/** Starts benchmarks, shows what they print, and compares their results. */
export async function mount() {
  const main = $('#main');
  main.classList.add('lab-page');
  const body = el('div', { className: 'lab-page' });
  main.append(pageHead(), body);
  await fill(body, async () => {
    const view = await call('GET', '/api/benchmarks', undefined, true);
    return [new Page(view).element];
  });
}

/** The page once it knows what there is. */
class Page {
  element = el('div', { className: 'lab-page' });
  #profiles = el('div');
  #run = el('div', { className: 'lab-page' });
  #history = el('div', { className: 'lab-page' });
  #view: BenchmarksView;
  #shown = '';
  /** Whether an answer about the shown run is awaited, and whether news came meanwhile. */
  #asking = false;
  #again = false;

  constructor(view: BenchmarksView) {
    this.#view = view;
    this.element.append(this.#profiles, this.#run, this.#history);
    this.#draw();
    const { run = this.#runningId() } = viewState();
    if (run !== undefined) this.#show(run);
    onNews = ({ id, state }) => {
      if (state !== 'running' || this.#runningId() !== id) void this.#refresh();
      if (this.#shown === '') this.#show(id);
      else if (this.#shown === id) void this.#ask();
    };
    setInterval(() => {
      if (this.#runningId() === undefined) return;
      void this.#refresh();
      void this.#ask();
    }, POLL_MS);
  }

  #runningId() {
    return this.#view.runs.find(({ state }) => state === 'running')?.id;
  }

  async #refresh() {
    try {
      this.#view = await call('GET', '/api/benchmarks', undefined, true);
      this.#draw();
    } catch (error) {
      fail(error);
    }
  }

  #draw() {
    this.#profiles.replaceChildren(profileTable(this.#view, (name) => this.#start(name)));
    this.#history.replaceChildren(...historyOf(this.#view.runs, (id) => this.#show(id)));
  }

  async #start(name: string) {
    const profile = this.#view.profiles.find((one) => one.name === name);
    if (profile === undefined) return;
    const what =
      profile.target === 'own'
        ? "This starts a separate Ringway instance on the console's host and uses its CPUs."
        : 'This puts load on the service as your user and writes to a dedicated bucket.';
    if (!(await confirmed(`Run “${profile.title}”?`, what, 'Run'))) return;
    try {
      const { id } = await call('POST', '/api/benchmarks/runs', { profile: name });
      await this.#refresh();
      this.#show(id);
    } catch (error) {
      this.#run.replaceChildren(problem(error));
    }
  }

  #show(id: string) {
    this.#shown = id;
    setViewState({ run: id });
    void this.#ask();
  }

  /** Asks for the run that is shown: once at a time. */
  async #ask() {
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    try {
      do {
        this.#again = false;
        const id = this.#shown;
        const run = await call('GET', `/api/benchmarks/runs/${id}`, undefined, true);
        if (id === this.#shown) this.#drawRun(run);
        else this.#again = true;
      } while (this.#again);
    } catch (error) {
      this.#run.replaceChildren(problem(error));
    } finally {
      this.#asking = false;
    }
  }

  #drawRun(run: BenchmarkRun) {
    const former = this.#run.querySelector('.benchmark-output');
    const atEnd =
      former === null || former.scrollTop + former.clientHeight >= former.scrollHeight - 4;
    this.#run.replaceChildren(...runView(run));
    const output = this.#run.querySelector('.benchmark-output');
    if (output !== null) output.scrollTop = atEnd ? output.scrollHeight : (former?.scrollTop ?? 0);
  }
}

function profileTable({ profiles, runs }: BenchmarksView, onStart: (name: string) => void) {
  const running = runs.some(({ state }) => state === 'running');
  if (profiles.length === 0) {
    return card('Profiles', el('p', { textContent: 'No profile files found in profiles/.' }));
  }
  return card(
    'Profiles',
    table(
      'Profiles',
      [
        { title: 'Profile', value: (row) => row.title },
        { title: 'Description', value: (row) => row.problem ?? row.description },
        {
          title: 'Target',
          value: (row) => row.target,
          cell: (row) => (row.target === 'own' ? 'separate Ringway instance' : 'this service'),
        },
        {
          title: 'Run',
          value: (row) => row.name,
          cell: (row) => {
            const button = el('button', {
              textContent: 'Run',
              disabled: running || row.problem !== null,
              onclick: () => onStart(row.name),
            });
            button.setAttribute('aria-label', `Run ${row.title}`);
            return button;
          },
        },
      ],
      profiles,
    ),
  );
}

function runView(run: BenchmarkRun) {
  const { id, title, state, error, rows, lines, lines_total: total } = run;
  const head = el(
    'div',
    { className: 'row' },
    badge(state, STATES[state]),
    el('span', {}, `by ${run.actor}, `, timeElement(1000 * run.started_unix_s)),
  );
  if (state === 'running') {
    const cancel = el('button', {
      textContent: 'Cancel',
      onclick: () => {
        cancel.disabled = true;
        call('DELETE', `/api/benchmarks/runs/${id}`).catch(fail);
      },
    });
    head.append(el('span', { className: 'grow' }), cancel);
  }
  const parts: Node[] = [head];
  if (error !== null) {
    const said = el('p', { className: 'error', textContent: error });
    said.setAttribute('role', 'alert');
    parts.push(said);
  }
  const output = el('pre', {
    className: 'benchmark-output',
    textContent: lines.join('\n'),
    tabIndex: 0,
  });
  output.setAttribute('role', 'log');
  output.setAttribute('aria-label', 'Output');
  if (total > lines.length) {
    const left = total - lines.length;
    parts.push(
      el('p', { className: 'quiet', textContent: `The first ${left} lines are not shown.` }),
    );
  }
  parts.push(output);
  return [card(title, ...parts), ...(rows.length > 0 ? [resultTable(rows)] : [])];
}

function resultTable(rows: readonly ResultRow[]) {
  const time = (ms: number | null) => (ms === null ? 'unknown' : `${numberText(ms)} ms`);
  return card(
    'Results',
    table(
      'Results',
      [
        { title: 'Operation', value: nameOf },
        { title: 'Object size', number: true, value: (row) => row.bytes },
        { title: 'Clients', number: true, value: (row) => row.concurrency },
        { title: 'Operations', number: true, value: (row) => row.ops },
        { title: 'Errors', number: true, value: (row) => row.errors },
        {
          title: 'Operations per second',
          number: true,
          value: (row) => row.ops_per_s,
          cell: (row) => numberText(row.ops_per_s, 1),
        },
        { title: 'p50', number: true, value: (row) => row.p50_ms, cell: (row) => time(row.p50_ms) },
        { title: 'p95', number: true, value: (row) => row.p95_ms, cell: (row) => time(row.p95_ms) },
        { title: 'p99', number: true, value: (row) => row.p99_ms, cell: (row) => time(row.p99_ms) },
      ],
      rows,
    ),
  );
}

/** @param runs the newest first */
function historyOf(runs: readonly RunRow[], onShow: (id: string) => void) {
  if (runs.length === 0) return [];
  const list = card(
    'Previous runs',
    table(
      'Previous runs',
      [
        {
          title: 'Started',
          value: (row) => new Date(1000 * row.started_unix_s).toISOString(),
          cell: (row) => timeElement(1000 * row.started_unix_s),
        },
        { title: 'Profile', value: (row) => row.title },
        { title: 'By', value: (row) => row.actor },
        {
          title: 'Duration',
          number: true,
          value: (row) =>
            row.ended_unix_s === null ? null : row.ended_unix_s - row.started_unix_s,
          cell: (row) =>
            row.ended_unix_s === null ? '–' : durationText(row.ended_unix_s - row.started_unix_s),
        },
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
              textContent: 'View',
              onclick: () => onShow(row.id),
            }),
        },
      ],
      runs,
    ),
  );
  const measured = runs.filter(({ rows }) => rows.length > 0);
  return measured.length < 2 ? [list] : [list, comparison(measured)];
}
