import { call } from '../../../../ui/api.js';
import { lineChart } from '../../../../ui/charts/lines.js';
import { durationText, el } from '../../../../ui/dom.js';
import { fail } from '../../../../ui/shell.js';
import { timeElement } from '../../../../ui/times.js';
import { Charts } from '../../page/charts.js';
import {
  badge,
  badges,
  card,
  facts,
  note,
  numberText,
  percentText,
  row,
  tableCard,
  TAKERS,
} from '../../page/ground.js';
import { stateBadge } from '../../../../ui/run-page.js';
import type { ChaosWholeRun as ChaosRun } from '../chaos-runs.js';
import type { ChaosView as View } from '../chaos-view.js';
import type { NetEvidence } from '../../net/fault.js';

const PHASES: readonly (readonly [phase: View['phase'], text: string])[] = [
  ['preflight', 'Preflight'],
  ['steady', 'Steady state'],
  ['inject', 'Inject'],
  ['observe', 'Observe'],
  ['revert', 'Revert'],
  ['repair', 'Repair'],
  ['over', 'Score'],
];

/** The names of faults in the catalogue. */
export const FAULTS: Record<string, string> = {
  stop_service: 'Stop a server',
  pause_node: 'Slow node',
  drop_memcached: 'Lose memcached',
  kill_worker: 'Kill a worker of a proxy',
  corrupt_replica: 'Corrupt a replica',
  remove_replica: 'Remove a replica',
  fill_quota: 'Fill a quota',
};

const PARTS: Record<string, string> = {
  success: 'Successful requests',
  speed: 'Latency during the fault',
  repair: 'Repair',
  clean_revert: 'Reverted on first attempt',
};

const RESULTS = { ok: 'ok', failed: 'crit' } as const;

/** The id of the run that was shown last. */
let shown = '';

const charts = new Charts();

/** A run, from its first check to its score. */
export function runView(run: ChaosRun, isOver: boolean) {
  const view = run.result ?? run.detail;
  const head = headOf(run, isOver);
  if (shown !== run.id) {
    shown = run.id;
    // The button that ends it is what has to be seen, below all faults that there are.
    setTimeout(() => head[0]?.scrollIntoView({ block: 'center' }), 0);
  }
  if (view === null) {
    const text =
      run.state === 'reverted'
        ? 'The fault was reverted. Probe results were lost when the console that ran the probes stopped.'
        : 'No data for this run.';
    return [card('Run', ...head, ...(isOver ? [el('p', { textContent: text })] : []), netOf(run))];
  }
  const parts = [card('Run', ...head, stepsOf(view), boardOf(view), netOf(run))];
  if (view.score !== null) parts.push(scoreCard(view, view.score));
  if (view.figures.length > 0) parts.push(card('Effect', facts(...view.figures.map(figureOf))));
  if (view.probes !== null && view.probes.seconds.length > 1) {
    parts.push(charts.draw('Slowest probe per second', chartOf(view.probes.seconds)));
  }
  parts.push(el('div', { className: 'lab-columns' }, timelineOf(view), checksOf(view)));
  if (view.probes !== null) parts.push(historyOf(view.probes), latestOf(view.probes));
  return parts;
}

function headOf(run: ChaosRun, isOver: boolean) {
  const { state, actor, error, params, started_unix_s: started } = run;
  const text = `${FAULTS[params.fault] ?? params.fault}: ${run.target}, by ${actor}, `;
  const head = row(stateBadge({ state }), el('span', {}, text, timeElement(1000 * started)));
  if (!isOver) {
    const abort = el('button', { className: 'danger chaos-abort', textContent: 'Abort' });
    abort.onclick = () => {
      abort.disabled = true;
      // One that is not held by this console any more is taken back by the net.
      call('POST', `/lab/api/chaos/runs/${run.id}/abort`, {})
        .catch(() => call('DELETE', `/api/runs/${run.id}`))
        .catch(fail);
    };
    head.append(el('span', { className: 'grow' }), abort);
  }
  if (error === null) return [head];
  return [head, el('p', { className: 'error', textContent: error.message })];
}

function stepsOf({ phase, phases }: View) {
  const begun = new Map(phases.map((one) => [one.phase, one.t_s]));
  const list = el('ol', { className: 'chaos-steps' });
  for (const [id, text] of PHASES) {
    const at = begun.get(id);
    const step = el('li', {}, el('strong', { textContent: text }));
    if (at !== undefined) step.append(el('span', { textContent: `${numberText(at, 0)} s` }));
    if (id === phase) step.setAttribute('aria-current', 'step');
    else if (at !== undefined) step.dataset.state = 'done';
    list.append(step);
  }
  list.setAttribute('aria-label', 'Phases');
  return list;
}

/** Lives, clock and score. */
function boardOf({
  lives,
  phase,
  deadline_unix_s: deadline,
  at_unix_s: now,
  score,
  held,
  base,
  t_s: t,
}: View) {
  const hearts = el('span', { className: 'chaos-lives', textContent: '♥'.repeat(lives) });
  hearts.append(el('span', { className: 'quiet', textContent: '♡'.repeat(3 - lives) }));
  hearts.setAttribute('role', 'img');
  hearts.setAttribute('aria-label', `${lives} of 3 lives`);
  const ms = (value: number | null | undefined) =>
    value === null || value === undefined ? 'unknown' : `${numberText(value, 0)} ms`;
  const clock = deadline === null ? '–' : durationText(Math.max(0, deadline - now));
  const board = facts(
    ['Time', durationText(t)],
    ...(phase === 'over' ? [] : [['Auto-revert in', clock] as const]),
    ['Score', score !== null ? numberText(score.total, 0) : phase === 'over' ? 'not scored' : '–'],
    [
      'Success rate during the fault',
      held?.success_ratio === null || held === null ? '–' : percentText(held.success_ratio, 1),
    ],
    ['P95 before the fault', base === null ? '–' : ms(base.p95_ms)],
    ['P95 during the fault', held === null ? '–' : ms(held.p95_ms)],
  );
  board.prepend(el('div', {}, el('dt', { textContent: 'Lives' }), el('dd', {}, hearts)));
  return board;
}

/** The line that says who took the fault back. */
function netOf({ evidence }: ChaosRun) {
  const net = evidence?.net as NetEvidence | undefined;
  const report = net?.report ?? null;
  if (report === null) return el('div');
  const what = report.outcomes.map(({ text }) => text).join(' ');
  return note(
    `Reverted by the ${TAKERS[report.by]} `,
    timeElement(1000 * report.reverted_unix_s),
    `. ${what}`,
  );
}

function scoreCard({ repair }: View, { total, parts, forfeit }: NonNullable<View['score']>) {
  const lines = parts.map(({ id, points, of }) => {
    const bar = el('span', { className: 'lab-bar' }, el('span', {}));
    (bar.firstChild as HTMLElement).style.width = `${(100 * points) / of}%`;
    bar.setAttribute('aria-hidden', 'true');
    const text = `${numberText(points, 1)} of ${of}`;
    return el('li', {}, el('span', {}, PARTS[id] ?? id), bar, el('span', {}, text));
  });
  return card(
    'Score',
    el('p', { className: 'chaos-score', textContent: `${numberText(total, 0)} of 100` }),
    ...(forfeit === null ? [] : [el('p', { className: 'error', textContent: forfeit })]),
    el('ul', { className: 'chaos-parts' }, ...lines),
    ...(repair === null ? [] : [el('p', { textContent: repairText(repair) })]),
  );
}

function repairText({ text, seconds }: NonNullable<View['repair']>) {
  return seconds === null ? text : `${text} It took ${numberText(seconds, 1)} s.`;
}

function figureOf({ label, value, note }: View['figures'][number]) {
  return [label, value === null ? 'unknown' : numberText(value, 0), note] as const;
}

function chartOf(seconds: NonNullable<View['probes']>['seconds']) {
  const format = (value: number) => numberText(value, 0);
  return lineChart({
    x: { title: 'seconds since the run started', format },
    y: { title: 'milliseconds', format },
    series: [{ name: 'Slowest probe', points: seconds.map(({ t_s: x, max_ms: y }) => ({ x, y })) }],
  });
}

function timelineOf({ timeline }: View) {
  const lines = timeline.map(({ t_s: t, text }) => {
    const textContent = `${numberText(t, 1)} s `;
    return el('li', {}, el('span', { className: 'quiet number', textContent }), text);
  });
  const list = el('ol', { className: 'chaos-timeline' }, ...lines);
  return card('Timeline', lines.length === 0 ? 'No events yet.' : list);
}

function checksOf({ checks }: View) {
  const lines = checks.map(({ is_ok: isOk, text }) =>
    el('li', {}, badge(isOk ? 'ok' : 'no', isOk ? 'ok' : 'crit'), ` ${text}`),
  );
  return card('Preflight', el('ul', { className: 'chaos-timeline' }, ...lines));
}

function historyOf({ history, puts_acknowledged: puts, seconds }: NonNullable<View['probes']>) {
  const { reads, stale, lost, wrong, problems } = history;
  const failed = seconds.reduce((sum, second) => sum + second.failed, 0);
  return card(
    'Read consistency',
    facts(
      ['Acknowledged writes', String(puts)],
      ['Failed probes', String(failed)],
      ['Reads checked', String(reads)],
      ['Stale', String(stale), 'older than the acknowledged write; allowed by Swift'],
      ['Lost', String(lost), 'acknowledged, but not found'],
      ['Wrong data', String(wrong), 'data that was never written'],
    ),
    ...(problems.length === 0
      ? []
      : [el('ul', {}, ...problems.map((text) => el('li', { textContent: text })))]),
  );
}

function latestOf({ latest }: NonNullable<View['probes']>) {
  return tableCard('Recent probes', latest, [
    { title: 'Time', number: true, value: (probe) => Number(probe.t_s.toFixed(1)) },
    { title: 'Request', value: ({ op }) => op.toUpperCase() },
    { title: 'Object', value: ({ key }) => key },
    { title: 'Status', number: true, value: ({ status }) => status },
    { title: 'Latency (ms)', number: true, value: ({ ms }) => Math.round(ms) },
    badges('Result', ({ is_ok: isOk }) => (isOk ? 'ok' : 'failed'), RESULTS),
  ]);
}
