import { durationText, el, shownText } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { badge, card, figures } from '../../../ui/parts.js';
import { timeElement } from '../../../ui/times.js';
import { outcome, quiet, quietLine, type Look } from './views.js';
import type { Ramp } from '../../../../src/deploy/service/ramp-record.js';

/** How a ramp looks: how far it is, what it waits for, and why it has stopped. */

export const BADGES: Readonly<Record<Ramp['state'], readonly [text: string, look: Look]>> = {
  running: ['running', 'info'],
  paused: ['paused', 'warn'],
  stopped: ['stopped automatically', 'crit'],
  succeeded: ['succeeded', 'ok'],
  cancelled: ['ended', 'warn'],
};

const GATES: Readonly<Record<Ramp['gates'][number]['name'], string>> = {
  min_part_hours: 'Partitions can move again (min_part_hours)',
  rings: 'All servers have the latest rings',
  replication: 'All replicators have finished a full pass',
  dispersion: 'All replicas are in place (dispersion report)',
};

/** Why a ramp goes on no more, and what to do. */
export function stopped({ state, message }: Ramp) {
  if (state === 'paused') {
    const textContent =
      'Resume the ramp to continue. It checks the cluster again before its next step.';
    return [outcome('warn', 'Ramp paused', el('p', { textContent }))];
  }
  if (state !== 'stopped') return [];
  const textContent =
    'No further steps run until you resume the ramp; replicators continue with earlier ones. Fix the cause first. The ramp checks the cluster again before its next step.';
  return [outcome('crit', message, el('p', { textContent }))];
}

/** How far it is, and how long still. */
export function progressCard(ramp: Ramp) {
  const { runs, steps_left: left, remaining_s: remainingS, state, ended_unix_s: ended } = ramp;
  const done = runs.length;
  const all = left === null ? null : done + left;
  const bar = el('progress', all === null ? {} : { max: Math.max(1, all), value: done });
  if (state === 'succeeded') Object.assign(bar, { max: 1, value: 1 });
  bar.ariaLabel = 'Ramp progress';
  bar.className = 'deploy-progress';
  const goesOn = ended === null;
  return card(
    'Progress',
    bar,
    figures([
      { label: 'Completed steps', value: String(done) },
      { label: 'Remaining steps', value: left === null ? 'not known yet' : String(left) },
      {
        label: goesOn ? 'Time left' : 'Duration',
        value: goesOn
          ? remainingS === null
            ? 'not known yet'
            : `about ${durationText(remainingS)}`
          : durationText((ended ?? 0) - ramp.created_unix_s),
        ...(goesOn && remainingS !== null
          ? { hint: 'based on min_part_hours and the completed steps' }
          : {}),
      },
      { label: 'Current phase', value: nowText(ramp) },
    ]),
  );
}

function nowText({ state, phase, ended_unix_s: ended, complete }: Ramp) {
  if (ended !== null) return 'finished';
  if (state !== 'running') return 'none';
  if (phase === 'step') return 'creating and applying a plan';
  return complete
    ? 'waiting for the cluster to settle before finishing'
    : 'waiting for the cluster to settle';
}

/** The conditions that the next step waits for. */
export function gatesCard({
  phase,
  gates,
  ended_unix_s: ended,
  movable_unix_s: movable,
  complete,
}: Ramp) {
  if (ended !== null || phase !== 'wait') return [];
  if (gates.length === 0) {
    return [card('Conditions for the next step', quietLine('Querying the servers…'))];
  }
  return [
    card(
      complete ? 'Conditions for completion' : 'Conditions for the next step',
      el(
        'ul',
        { className: 'deploy-gates' },
        ...gates.map(({ name, ok, message }) => {
          const isTime = name === 'min_part_hours' && !ok && 1000 * movable > Date.now();
          const said = isTime
            ? quiet('ends ', timeElement(1000 * movable))
            : quiet(shownText(message));
          const made = el(
            'li',
            {},
            icon(ok ? 'circle-check' : 'clock'),
            el('span', {}, el('strong', { textContent: GATES[name] ?? shownText(name) }), said),
            badge(ok ? 'open' : 'waits', ok ? 'ok' : 'warn'),
          );
          made.dataset.state = ok ? 'ok' : 'warn';
          return made;
        }),
      ),
    ),
  ];
}
