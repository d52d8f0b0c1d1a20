import { call } from '../../../ui/api.js';
import { confirmed, el } from '../../../ui/dom.js';
import { card, numberText, problem, table } from '../../../ui/parts.js';
import { runHead, runPage } from '../../../ui/run-page.js';
import { comparison, nameOf } from './comparison.js';
import type { BenchmarkRow as ResultRow } from '../results.js';
import type { BenchmarkRun, BenchmarkRunRow as RunRow } from '../runs.js';
import type { BenchmarksView } from '../surface.js';

/** Starts benchmarks, shows what they print, and compares their results. */
export const { mount, topics, onConnection } = runPage({
  kind: 'benchmarks.run',
  listTitle: 'Runs',
  list: () => call('GET', '/api/benchmarks', undefined, true),
  read: (id) => call('GET', `/api/benchmarks/runs/${id}`, undefined, true),
  runOf: (run) => run,
  form: profileTable,
  show: runView,
  columns: [{ title: 'Profile', value: (row) => row.params.title }],
  below: comparisonOf,
});

function profileTable({ profiles }: BenchmarksView, onStart: (id: string) => void) {
  if (profiles.length === 0) {
    return card('Profiles', el('p', { textContent: 'No profile files found in profiles/.' }));
  }
  const said = el('div');
  const start = async (profile: Profile) => {
    said.replaceChildren();
    try {
      const id = await started(profile);
      if (id !== undefined) onStart(id);
    } catch (error) {
      said.replaceChildren(problem(error));
    }
  };
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
          cell: (row) =>
            el('button', {
              textContent: 'Run',
              disabled: row.problem !== null,
              onclick: () => void start(row),
              ariaLabel: `Run ${row.title}`,
            }),
        },
      ],
      profiles,
    ),
    said,
  );
}

type Profile = BenchmarksView['profiles'][number];

/** @returns the id of the run; undefined where it was not confirmed */
async function started({ name, title, target }: Profile) {
  const about =
    target === 'own'
      ? "This starts a separate Ringway instance on the console's host and uses its CPUs."
      : 'This puts load on the service as your user and writes to a dedicated bucket.';
  if (!(await confirmed(`Run “${title}”?`, about, 'Run'))) return undefined;
  const { id } = await call('POST', '/api/benchmarks/runs', { profile: name });
  return id;
}

function runView(run: BenchmarkRun) {
  const view = run.result ?? run.detail;
  const head = runHead(run, run.params.title);
  if (view === null) return [card('Run', ...head)];
  const { lines, lines_total: total } = view;
  const parts: Node[] = [...head];
  if (total > lines.length) {
    const left = total - lines.length;
    parts.push(
      el('p', { className: 'quiet', textContent: `The first ${left} lines are not shown.` }),
    );
  }
  parts.push(outputOf(lines));
  const rows = run.result?.rows ?? [];
  return [card('Run', ...parts), ...(rows.length > 0 ? [resultTable(rows)] : [])];
}

/** Shows the last lines, unless the reader has scrolled away from them. */
function outputOf(lines: readonly string[]) {
  const former = document.querySelector('.benchmark-output');
  const atEnd =
    former === null || former.scrollTop + former.clientHeight >= former.scrollHeight - 4;
  const top = former?.scrollTop ?? 0;
  const output = el('pre', {
    className: 'benchmark-output',
    textContent: lines.join('\n'),
    tabIndex: 0,
    role: 'log',
    ariaLabel: 'Output',
  });
  // It has a height once it is in the page.
  queueMicrotask(() => {
    output.scrollTop = atEnd ? output.scrollHeight : top;
  });
  return output;
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
function comparisonOf(runs: readonly RunRow[]) {
  const measured = runs.filter(({ rows }) => rows.length > 0);
  return measured.length < 2 ? [] : [comparison(measured)];
}
