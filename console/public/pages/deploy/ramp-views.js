import { durationText, el, shownText } from '../../js/dom.js';
import { icon } from '../../js/icons.js';
import { badge, card, figures } from '../../js/parts.js';
import { timeElement } from '../../js/times.js';

/** How a ramp looks: how far it is, what it waits for, and why it has stopped. */

/** @typedef {import('./control.js').Ramp} Ramp */

/** @type {Readonly<Record<Ramp['state'], readonly ['ok' | 'warn' | 'crit' | 'info', string]>>} */
export const LOOKS = {
  running: ['info', 'running'],
  paused: ['warn', 'paused'],
  stopped: ['crit', 'has stopped by itself'],
  succeeded: ['ok', 'succeeded'],
  cancelled: ['warn', 'stopped for good'],
};

/** @type {Readonly<Record<Ramp['gates'][number]['name'], string>>} */
const GATES = {
  min_part_hours: 'Partitions may move again (min_part_hours)',
  rings: 'All servers have the last ring',
  replication: 'All replicators have finished a full pass',
  dispersion: 'All copies are in place (dispersion report)',
};

/** Why a ramp goes on no more, and what to do. @param {Ramp} ramp */
export function stopped({ state, message }) {
  if (state !== 'stopped' && state !== 'paused') return [];
  const made = el(
    'div',
    { className: 'card deploy-outcome' },
    el('h2', {
      textContent: state === 'paused' ? 'No further step begins' : shownText(message),
    }),
    el('p', {
      textContent:
        state === 'paused'
          ? 'Resume it when it may go on: it looks at the cluster again before its next step.'
          : 'No further step is taken until you resume it; replicators go on with those before. Repair the cause first; it looks at the cluster again before its next step.',
    }),
  );
  made.dataset.state = state === 'stopped' ? 'crit' : 'warn';
  made.setAttribute('role', 'status');
  return [made];
}

/** How far it is, and how long still. @param {Ramp} ramp */
export function progressCard(ramp) {
  const { runs, steps_left: left, remaining_s: remainingS, state, ended_unix_s: ended } = ramp;
  const done = runs.length;
  const all = left === null ? null : done + left;
  const bar = el('progress', all === null ? {} : { max: Math.max(1, all), value: done });
  if (state === 'succeeded') Object.assign(bar, { max: 1, value: 1 });
  bar.setAttribute('aria-label', 'Steps of the ramp');
  bar.classList.add('deploy-progress');
  const goesOn = ended === null;
  return card(
    'How far it is',
    bar,
    figures([
      { label: 'Steps done', value: String(done) },
      { label: 'Steps left', value: left === null ? 'not known yet' : String(left) },
      {
        label: goesOn ? 'Time left' : 'Took',
        value: goesOn
          ? remainingS === null
            ? 'not known yet'
            : `about ${durationText(remainingS)}`
          : durationText((ended ?? 0) - ramp.created_unix_s),
        ...(goesOn && remainingS !== null
          ? { hint: 'by min_part_hours and the steps until now' }
          : {}),
      },
      { label: 'Now', value: nowText(ramp) },
    ]),
  );
}

/** @param {Ramp} ramp */
function nowText({ state, phase, ended_unix_s: ended, complete }) {
  if (ended !== null) return 'over';
  if (state !== 'running') return 'nothing';
  if (phase === 'step') return 'a plan is made and applied';
  return complete ? 'the cluster settles a last time' : 'the cluster settles';
}

/** What the next step waits for. @param {Ramp} ramp */
export function gatesCard({
  phase,
  gates,
  ended_unix_s: ended,
  movable_unix_s: movable,
  complete,
}) {
  if (ended !== null || phase !== 'wait') return [];
  if (gates.length === 0) {
    return [
      card(
        'What the next step waits for',
        el('p', { className: 'quiet', textContent: 'The servers are asked…' }),
      ),
    ];
  }
  return [
    card(
      complete ? 'What the end waits for' : 'What the next step waits for',
      el(
        'ul',
        { className: 'deploy-gates' },
        ...gates.map(({ name, ok, message }) => {
          const isTime = name === 'min_part_hours' && !ok && 1000 * movable > Date.now();
          const said = isTime
            ? el('span', { className: 'quiet' }, 'over ', timeElement(1000 * movable))
            : el('span', { className: 'quiet', textContent: shownText(message) });
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
