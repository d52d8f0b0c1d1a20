import { $, durationText, el, ask } from '../../../../ui/dom.js';
import { call } from '../../../../ui/api.js';
import { fail } from '../../../../ui/shell.js';
import { cooldownText } from '../../page/cooldown.js';
import {
  badge,
  field,
  input,
  numberInput,
  numberText,
  quiet,
  row,
  tableOf,
} from '../../page/ground.js';
import type { NodeStatus } from '../drills.js';
import type { Impact } from '../impact.js';
import type { DrillsView } from '../page.js';
import type { Tone } from '../../page/ground.js';

const STATES: Record<NodeStatus['state'], [Tone, string]> = {
  up: ['ok', 'Up'],
  stopping: ['warn', 'Stopping'],
  held_down: ['crit', 'Down (drill)'],
  starting: ['info', 'Starting'],
  degraded: ['warn', 'Degraded'],
  unreachable: ['crit', 'Unreachable'],
  failed: ['crit', 'Down'],
  unknown: ['info', 'Unknown'],
};

const SVG = 'http://www.w3.org/2000/svg';
const RADIUS = 16;
const ROUND = 2 * Math.PI * RADIUS;

/**
 * A node: made once, so that the keyboard stays where it is, and shown anew with each look.
 *
 * @param view what may be done here
 * @param open shows a drill
 */
export function nodeCard(
  name: string,
  { needs, can_force: canForce }: DrillsView,
  open: (id: string) => void,
) {
  const state = el('span');
  const said = el('div');
  const services = el('ul', { className: 'node-services' });
  const countdown = el('div', { className: 'node-countdown' });
  const down = el('button', { className: 'danger', textContent: `Take down ${name}` });
  const up = el('button', { className: 'primary', textContent: `Start ${name} now` });
  const element = el(
    'section',
    { className: 'card node-card' },
    row(el('h2', { textContent: name }), state),
    said,
    countdown,
    services,
    row(down, up),
  );
  element.setAttribute('aria-label', name);
  down.onclick = () => void takeDown(name, canForce, open);
  up.onclick = async () => {
    up.disabled = true;
    await call('POST', '/lab/api/node/up', { node: name }).catch(fail);
  };
  const show = (node: NodeStatus, nowS: number) => {
    const [tone, text] = STATES[node.state];
    state.replaceChildren(badge(text, tone));
    said.replaceChildren(
      quiet(`${node.storage_ip}, ${node.devices.join(', ') || 'devices unknown'}`),
      ...(node.problem === null ? [] : [quiet(node.problem)]),
    );
    services.replaceChildren(...node.services.map(serviceLine));
    const restsFor = Math.max(0, (node.cooldown_until_unix_s ?? 0) - nowS);
    const rests = restsFor > 0;
    countdown.replaceChildren(
      ...(node.held !== null
        ? clock(node.held, nowS)
        : rests
          ? [el('span', { className: 'quiet', textContent: cooldownText(restsFor) })]
          : []),
    );
    down.hidden = node.held !== null;
    down.disabled = needs !== null || rests || node.services.length === 0;
    down.title =
      needs === null
        ? rests
          ? 'Not during the cooldown after a drill.'
          : ''
        : `Requires ${needs}`;
    up.hidden = node.held === null;
    up.disabled = node.state === 'starting' || node.state === 'stopping';
  };
  return { element, show };
}

function serviceLine({ name, state, probe }: NodeStatus['services'][number]) {
  const isWell = state === 'active' && probe?.ok !== false;
  // A daemon that does not run is how many clusters are set up on purpose.
  const tone = isWell ? 'ok' : probe === null && state === 'inactive' ? '' : 'warn';
  const answer =
    probe === null
      ? ''
      : probe.ok
        ? ` · ${probe.server_header ?? 'answers'}, ${probe.ms} ms`
        : ' · no response';
  return el('li', {}, el('span', { textContent: name }), badge(`${state}${answer}`, tone));
}

function clock(
  { actor, since_unix_s: since, expires_unix_s: expires }: NonNullable<NodeStatus['held']>,
  nowS: number,
) {
  const left = Math.max(0, expires - nowS);
  const ring = document.createElementNS(SVG, 'svg');
  ring.setAttribute('class', 'node-ring');
  ring.setAttribute('viewBox', '0 0 40 40');
  ring.setAttribute('aria-hidden', 'true');
  const share = Math.min(1, left / Math.max(1, expires - since));
  for (const dash of ['', `${share * ROUND} ${ROUND}`]) {
    const circle = document.createElementNS(SVG, 'circle');
    for (const at of ['cx', 'cy']) circle.setAttribute(at, '20');
    circle.setAttribute('r', String(RADIUS));
    if (dash !== '') circle.setAttribute('stroke-dasharray', dash);
    ring.append(circle);
  }
  const text = left === 0 ? 'Time limit reached.' : `Restarts in ${durationText(left)}.`;
  return [
    ring,
    el(
      'div',
      {},
      el('strong', { textContent: text }),
      el('div', { className: 'quiet', textContent: `by ${actor}` }),
    ),
  ];
}

/** Shows what would happen, and asks for the name. */
async function takeDown(name: string, canForce: boolean, open: (id: string) => void) {
  let impact: Impact;
  try {
    impact = await call('GET', `/lab/api/node/impact?node=${encodeURIComponent(name)}`);
  } catch (error) {
    fail(error);
    return;
  }
  const force = input('force', { type: 'checkbox' });
  const isBlocked = !impact.safe;
  const nodes = [
    el('p', { textContent: summary(impact) }),
    impactTable(impact),
    field(
      'Seconds',
      numberInput('ttl', 120, { min: '10', max: '3600', required: true }),
      '10 to 3600; the services then restart automatically, even if the console is down',
    ),
    field('Node name', input('confirm', { required: true }), `type ${name} to confirm`),
    ...(isBlocked && canForce
      ? [
          el(
            'label',
            { className: 'check' },
            force,
            el('span', {
              textContent:
                'Run even if partitions become unwritable or unreadable (lab clusters only)',
            }),
          ),
        ]
      : []),
  ];
  const work = async (given: Record<string, FormDataEntryValue>) => {
    if (given.confirm !== name) throw new Error(`Type ${name} to confirm.`);
    const { journal_id: id } = await call('POST', '/lab/api/node/down', {
      node: name,
      ttl_secs: Number(given.ttl),
      force: force.checked,
    });
    open(id);
  };
  const asked = ask(`Take down ${name}?`, nodes, 'Take down', work, { danger: true });
  if (isBlocked && !canForce) $('#dialog-ok').disabled = true;
  await asked;
}

function summary({
  node,
  safe,
  write_blocked_parts: writes,
  read_blocked_parts: reads,
  others_away: others,
}: Impact) {
  const effect = safe
    ? `Without ${node}, all partitions remain readable and writable.`
    : `Without ${node}, ${numberText(writes)} partitions lose their write quorum of primaries, and ${numberText(reads)} cannot be read from primaries.`;
  return others.length === 0 ? effect : `${effect} Already down: ${others.join(', ')}.`;
}

export function impactTable({ rings }: Impact) {
  return tableOf('Expected impact', rings, [
    { title: 'Ring', value: (row) => row.ring },
    { title: 'Policy', value: (row) => row.policy },
    { title: 'Partitions', value: (row) => row.parts },
    { title: 'Fewer replicas', value: (row) => row.degraded_parts },
    { title: 'No write quorum', value: (row) => row.write_blocked_parts },
    { title: 'Unreadable', value: (row) => row.read_blocked_parts },
  ]);
}
