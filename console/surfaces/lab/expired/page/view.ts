import { call } from '../../../../ui/api.js';
import { swimLanes } from '../../../../ui/charts/swim-lanes.js';
import { confirmed, durationText, el } from '../../../../ui/dom.js';
import { fail } from '../../../../ui/shell.js';
import { timeElement } from '../../../../ui/times.js';
import { card, facts, numbers, numberText, plainButton, tableCard } from '../../page/ground.js';
import type { ExpiredRun } from '../expired-runs.js';
import type { ExpiredView as View } from '../observation.js';
import type { Tone } from '../../../../ui/charts/shapes.js';

type Watched = View['objects'][number];

const TONES: Record<Watched['state'], Tone> = {
  Alive: 'good',
  'Logically Expired': 'warn',
  'Recoverable Ghost': 0,
  'Physically Reaped': 'quiet',
};

const REPLICAS: Record<Watched['replicas'][number]['state'], [sign: string, words: string]> = {
  present: ['●', 'data'],
  tombstone: ['✝', 'tombstone'],
  absent: ['○', 'nothing'],
  device_away: ['∅', 'device unmounted'],
  unreachable: ['?', 'no response'],
  error: ['!', 'error'],
};

/** The ghost periods of all objects. */
export function summaryOf({ summary }: View) {
  const time = (seconds: number | null) =>
    seconds === null ? 'unknown' : `${numberText(seconds, 1)} s`;
  return facts(
    ['Objects', String(summary.n)],
    ['Reaped', String(summary.reaped)],
    ['Not reaped', String(summary.censored), 'excluded from the times'],
    ['Mean ghost period', time(summary.mean_s)],
    ['P95', time(summary.p95_s)],
    ['Maximum', time(summary.max_s)],
  );
}

/** The card of the findings: oddities of a run. */
export function findings({ findings: all }: View) {
  const lines = all.map(({ id, text }) =>
    el('li', {}, el('strong', { textContent: id }), `: ${text}`),
  );
  if (lines.length === 0) lines.push(el('li', { textContent: 'No findings.' }));
  return card('Findings', el('ul', {}, ...lines));
}

/** A lane for each object, with its states. */
export function lanesOf({ objects, at_unix_s: now }: View) {
  const from = Math.min(...objects.map(({ spans }) => spans[0]?.from_unix_s ?? now));
  const format = (at: number) => `${Math.round(at - from)} s`;
  return swimLanes({
    from,
    to: Math.max(now, from + 1),
    format,
    legend: Object.entries(TONES).map(([text, tone]) => ({ text, tone })),
    lanes: objects.map(({ name, spans, delete_at_unix_s: due, is_rescued: isRescued }) => ({
      name: isRescued ? `${name} (rescued)` : name,
      spans: spans.map((span) => ({
        from: span.from_unix_s,
        to: span.to_unix_s,
        text: span.state,
        tone: TONES[span.state],
      })),
      marks: due > now ? [] : [{ at: due, text: 'X-Delete-At', tone: 'crit' as const }],
    })),
  });
}

/** The objects with their replicas, and a button to rescue a ghost. */
export function objectTable(run: ExpiredRun, view: View, isOver: boolean) {
  const canRescue = !isOver && view.open_expired.support === 'enabled';
  const rescue = async (row: Watched) => {
    const text = 'The object becomes a regular object again until this run ends.';
    if (!(await confirmed(`Rescue ${row.name}?`, text, 'Rescue'))) return;
    await call('POST', `/lab/api/expired/runs/${run.id}/rescue`, { name: row.name }).catch(fail);
  };
  return tableCard('Objects', view.objects, [
    { title: 'Object', value: (row) => row.name },
    {
      title: 'Expires',
      value: (row) => row.delete_at_unix_s,
      cell: (row) => timeElement(1000 * row.delete_at_unix_s),
    },
    { title: 'State', value: (row) => (row.is_rescued ? 'Rescued' : row.state) },
    numbers('Ghost period', (row) => row.ghost_s, durationText),
    {
      title: 'Replicas',
      value: (row) => row.replicas.map(replicaText).join('; '),
      cell: replicaDots,
    },
    { title: 'In listing', value: (row) => (row.is_listed ? 'yes' : 'no') },
    {
      title: 'Rescue',
      value: (row) => row.name,
      cell: (row) => {
        const isGhost = row.state === 'Recoverable Ghost' && !row.is_rescued;
        return canRescue && isGhost ? plainButton('Rescue', () => void rescue(row)) : '–';
      },
    },
  ]);
}

function replicaText({ node, device, index, state }: Watched['replicas'][number]) {
  const place = index === null ? 'handoff' : `primary ${index}`;
  return `${place} ${node} ${device}: ${REPLICAS[state][1]}`;
}

function replicaDots({ replicas }: Watched) {
  if (replicas.length === 0) return 'unknown';
  const shown = replicas.filter(({ index, state }) => index !== null || state !== 'absent');
  const dots = el('span', { title: replicas.map(replicaText).join('\n') });
  dots.textContent = shown.map(({ state }) => REPLICAS[state][0]).join(' ');
  dots.setAttribute('role', 'img');
  dots.setAttribute('aria-label', shown.map(replicaText).join('; '));
  return dots;
}
