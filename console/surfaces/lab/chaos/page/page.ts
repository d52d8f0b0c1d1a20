import { call } from '../../../../ui/api.js';
import { ask, el } from '../../../../ui/dom.js';
import { cooldownLine } from '../../page/cooldown.js';
import { badge, card, field, input, numberInput, pageHead, select } from '../../page/ground.js';
import { runPage } from '../../../../ui/run-page.js';
import { FAULTS, runView } from './view.js';
import type { ChaosCatalogueView as CatalogueView } from '../page.js';

type Fault = CatalogueView['items'][number];

export const { mount, topics, onConnection } = runPage({
  head: pageHead,
  kind: 'lab.chaos',
  listTitle: 'Runs',
  list: () => call('GET', '/lab/api/chaos/runs', undefined, true),
  read: (id) => call('GET', `/lab/api/chaos/runs/${id}`, undefined, true),
  runOf: (run) => run,
  form: (_, open) => catalogue(open),
  show: runView,
  columns: [
    { title: 'Fault', value: (row) => FAULTS[row.params.fault] ?? row.params.fault },
    { title: 'Target', value: (row) => row.target },
  ],
});

/** The faults after which partitions may have too few servers. */
const BLOCKING = ['stop_service', 'pause_node'];

async function catalogue(open: (id: string) => void) {
  const view = await call('GET', '/lab/api/chaos/catalog', undefined, true);
  const { items, can_force: canForce, cooldown_until_unix_s: restsUntil } = view;
  const list = (some: readonly Fault[], label: string) => {
    const made = el('ul', { className: 'chaos-cards' });
    made.append(...some.map((item) => faultCard(item, canForce, open)));
    made.setAttribute('aria-label', label);
    return made;
  };
  const here = items.filter(({ needs }) => needs === null);
  const others = items.filter(({ needs }) => needs !== null);
  const title = 'Unavailable faults';
  const more = el('details', { className: 'chaos-more', open: here.length === 0 });
  more.append(el('summary', { textContent: `${title} (${others.length})` }), list(others, title));
  const none = el('p', { textContent: 'No faults are available here yet.' });
  const rests = restsUntil === null ? [] : [cooldownLine(restsUntil)];
  return card('Faults', ...rests, here.length === 0 ? none : list(here, 'Faults'), more);
}

function faultCard(fault: Fault, canForce: boolean, open: (id: string) => void) {
  const { title, summary, needs } = fault;
  const parts = [el('h3', { textContent: title }), el('p', { textContent: summary })];
  if (needs !== null) {
    const text = el('span', { className: 'quiet', textContent: needs });
    const line = el('p', { className: 'chaos-needs' }, badge('needs'), ' ', text);
    return el('li', { className: 'chaos-card' }, ...parts, line);
  }
  const button = el('button', {
    className: 'danger',
    textContent: 'Inject fault',
    onclick: () => void startDialog(fault, canForce, open),
  });
  button.setAttribute('aria-label', `Inject fault: ${title}`);
  return el('li', { className: 'chaos-card', tabIndex: -1 }, ...parts, el('p', {}, button));
}

/** What, where and for how long; the target has to be typed. */
async function startDialog(fault: Fault, canForce: boolean, open: (id: string) => void) {
  const choices = (all: Fault['targets']) => all.map(({ id, label }) => [id, label] as const);
  const target = select('target', choices(fault.targets));
  const mode = select('mode', choices(fault.modes));
  const hold = numberInput('hold_s', fault.hold_s, { min: '1', max: String(fault.hold_s_max) });
  const ttl = numberInput('ttl_s', 120, { min: '10', max: '900' });
  const confirm = input('confirm', { required: true });
  const force = input('force', { type: 'checkbox' });
  const text = 'Do it also where partitions lose their quorum of primaries: this is a lab.';
  const forced = el('label', { className: 'check' }, force, el('span', { textContent: text }));
  const hint = el('span', { className: 'hint' });
  const say = () => (hint.textContent = `Type ${target.value} to confirm`);
  target.addEventListener('change', say);
  say();
  const confirmed = field('Confirm target', confirm);
  confirmed.append(hint);
  let id = '';
  const start = async () => {
    const params = { mode: mode.value, hold_s: Number(hold.value) };
    const body = {
      ...{ fault: fault.id, target: target.value, params },
      ...{ ttl_s: Number(ttl.value), confirm: confirm.value, force: force.checked },
    };
    ({ id } = await call('POST', '/lab/api/chaos/runs', body));
  };
  await ask(
    fault.title,
    [
      el('p', { textContent: fault.summary }),
      el('p', {}, el('strong', { textContent: 'Expected: ' }), fault.expect),
      el('p', {}, el('strong', { textContent: 'Revert: ' }), fault.revert),
      el(
        'div',
        { className: 'chaos-fields' },
        field('Target', target),
        ...(fault.modes.length === 0 ? [] : [field('Mode', mode)]),
        field('Duration', hold, `seconds, up to ${fault.hold_s_max}`),
        field('Auto-revert after', ttl, 'seconds, even if the console stops'),
        confirmed,
      ),
      ...(canForce && BLOCKING.includes(fault.id) ? [forced] : []),
    ],
    'Inject fault',
    start,
    { danger: true },
  );
  if (id !== '') open(id);
}
