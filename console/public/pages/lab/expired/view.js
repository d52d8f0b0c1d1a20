import { call } from '../../../js/api.js';
import { swimLanes } from '../../../js/charts/swim-lanes.js';
import { confirmed, durationText, el } from '../../../js/dom.js';
import { fail } from '../../../js/shell.js';
import { timeElement } from '../../../js/times.js';
import { card, figures, numberText, table } from '../ground.js';

/**
 * @typedef {import('../../../../surfaces/lab/expired/expired-runs.js').ExpiredRun} ExpiredRun
 * @typedef {import('../../../../surfaces/lab/expired/observation.js').ExpiredView} View
 * @typedef {View['objects'][number]} Watched
 * @typedef {import('../../../js/charts/shapes.js').Tone} Tone
 */

/** @type {Record<Watched['state'], Tone>} */
const TONES = {
  Alive: 'good',
  'Logically Expired': 'warn',
  'Recoverable Ghost': 0,
  'Physically Reaped': 'quiet',
};

/** @type {Record<Watched['replicas'][number]['state'], [sign: string, words: string]>} */
const REPLICAS = {
  present: ['●', 'data'],
  tombstone: ['✝', 'tombstone'],
  absent: ['○', 'nothing'],
  device_away: ['∅', 'device unmounted'],
  unreachable: ['?', 'no response'],
  error: ['!', 'error'],
};

/**
 * The ghost periods of all objects.
 *
 * @param {View} view
 */
export function summaryOf({ summary }) {
  const time = (/** @type {number | null} */ seconds) =>
    seconds === null ? 'unknown' : `${numberText(seconds, 1)} s`;
  return figures([
    { label: 'Objects', value: String(summary.n) },
    { label: 'Reaped', value: String(summary.reaped) },
    { label: 'Not reaped', value: String(summary.censored), hint: 'excluded from the times' },
    { label: 'Mean ghost period', value: time(summary.mean_s) },
    { label: 'P95', value: time(summary.p95_s) },
    { label: 'Maximum', value: time(summary.max_s) },
  ]);
}

/**
 * What is odd.
 *
 * @param {View} view
 */
export function findings({ findings: all }) {
  const lines = all.map(({ id, text }) =>
    el('li', {}, el('strong', { textContent: id }), `: ${text}`),
  );
  if (lines.length === 0) lines.push(el('li', { textContent: 'No findings.' }));
  return card('Findings', el('ul', {}, ...lines));
}

/**
 * A lane for each object, with its states.
 *
 * @param {View} view
 */
export function lanesOf({ objects, at_unix_s: now }) {
  const from = Math.min(...objects.map(({ spans }) => spans[0]?.from_unix_s ?? now));
  const format = (/** @type {number} */ at) => `${Math.round(at - from)} s`;
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
      marks:
        due > now ? [] : [{ at: due, text: 'X-Delete-At', tone: /** @type {const} */ ('crit') }],
    })),
  });
}

/**
 * The objects with their replicas, and a button to rescue a ghost.
 *
 * @param {ExpiredRun} run
 * @param {View} view
 * @param {boolean} isOver
 */
export function objectTable(run, view, isOver) {
  const canRescue = !isOver && view.open_expired.support === 'enabled';
  const rescue = async (/** @type {Watched} */ row) => {
    const text = 'The object becomes a regular object again until this run ends.';
    if (!(await confirmed(`Rescue ${row.name}?`, text, 'Rescue'))) return;
    await call('POST', `/lab/api/expired/runs/${run.id}/rescue`, { name: row.name }).catch(fail);
  };
  return card(
    'Objects',
    table(
      'Objects',
      [
        { title: 'Object', value: (row) => row.name },
        {
          title: 'Expires',
          value: (row) => row.delete_at_unix_s,
          cell: (row) => timeElement(1000 * row.delete_at_unix_s),
        },
        { title: 'State', value: (row) => (row.is_rescued ? 'Rescued' : row.state) },
        {
          title: 'Ghost period',
          number: true,
          value: (row) => row.ghost_s,
          cell: (row) => (row.ghost_s === null ? '–' : durationText(row.ghost_s)),
        },
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
            if (!canRescue || !isGhost) return '–';
            return el('button', {
              className: 'plain',
              textContent: 'Rescue',
              onclick: () => void rescue(row),
            });
          },
        },
      ],
      view.objects,
    ),
  );
}

/** @param {Watched['replicas'][number]} replica */
function replicaText({ node, device, index, state }) {
  const place = index === null ? 'handoff' : `primary ${index}`;
  return `${place} ${node} ${device}: ${REPLICAS[state][1]}`;
}

/** @param {Watched} row */
function replicaDots({ replicas }) {
  if (replicas.length === 0) return 'unknown';
  const shown = replicas.filter(({ index, state }) => index !== null || state !== 'absent');
  const dots = el('span', { title: replicas.map(replicaText).join('\n') });
  dots.textContent = shown.map(({ state }) => REPLICAS[state][0]).join(' ');
  dots.setAttribute('role', 'img');
  dots.setAttribute('aria-label', shown.map(replicaText).join('; '));
  return dots;
}
