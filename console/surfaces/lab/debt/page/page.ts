import { TIME_AXIS } from '../../../../ui/charts/axes.js';
import { call } from '../../../../ui/api.js';
import { gauge } from '../../../../ui/charts/gauge.js';
import { lineChart } from '../../../../ui/charts/lines.js';
import { waterfall } from '../../../../ui/charts/waterfall.js';
import { durationText, el } from '../../../../ui/dom.js';
import { timeElement } from '../../../../ui/times.js';
import { Charts } from '../../page/charts.js';
import {
  badges,
  card,
  facts,
  fill,
  note,
  numbers,
  numberText,
  openPage,
  problem,
  stack,
  tableCard,
} from '../../page/ground.js';
import type { DebtSnapshot } from '../debt-watch.js';
import type { Tone } from '../../page/ground.js';

type Component = DebtSnapshot['components'][number];

/** As often as the console looks by itself, or less. */
const REFRESH_MS = 30_000;

const NAMES: Record<Component['id'], string> = {
  async: 'Pending updates',
  quarantine: 'Quarantined items',
  missing: 'Missing replicas',
  imbalance: 'Ring imbalance',
  disk: 'Disks above 80%',
  lag: 'Replication lag',
};

const STATES: Record<Component['state'], Tone> = {
  known: 'ok',
  partial: 'warn',
  stale: 'warn',
  unknown: 'info',
};

/** Shows what repair work the cluster owes, and follows it. */
export async function mount() {
  const body = stack();
  openPage(body);
  const view = debtView();
  const refresh = async (isAgain: boolean) => {
    view.show(await call('GET', '/lab/api/debt/snapshot', undefined, isAgain));
    if (!view.element.isConnected) body.replaceChildren(view.element);
  };
  await fill(body, async () => {
    await refresh(false);
    return [view.element];
  });
  const said = el('div');
  body.prepend(said);
  setInterval(() => {
    refresh(true).then(
      () => said.replaceChildren(),
      (error: unknown) => said.replaceChildren(problem(error)),
    );
  }, REFRESH_MS);
}

/** All that the page shows of a snapshot; it is made once, and shows each that comes. */
function debtView() {
  const charts = new Charts();
  const head = el('div');
  const advice = el('div');
  const tables = stack();
  const places = el('div', { className: 'lab-columns' });
  const wide = stack();
  const element = stack(head, places, wide, advice, tables);
  const show = (snapshot: DebtSnapshot) => {
    const present = charts.draw('Debt relative to reclaim_age', indexGauge(snapshot));
    const components = charts.draw('Debt by component', parts(snapshot));
    const past = charts.draw('Last 24 hours', day(snapshot));
    if (wide.childElementCount === 0) {
      places.append(present, components);
      wide.append(past);
    }
    head.replaceChildren(headline(snapshot));
    advice.replaceChildren(whatToDo(snapshot));
    tables.replaceChildren(componentTable(snapshot), nodeTable(snapshot));
  };
  return { element, show };
}

function headline(snapshot: DebtSnapshot) {
  const { debt_s: debt, interest_s_per_h: interest, tti_s: left, grade } = snapshot;
  const shown = facts(
    ['Debt', timeText(debt), 'of repair work'],
    ['Grade', grade ?? 'unknown', 'A is best, E is worst'],
    [
      'Interest',
      interest === null ? 'unknown' : `${interest < 0 ? '−' : '+'}${timeText(Math.abs(interest))}`,
      interest === null ? 'requires 10 samples within an hour' : 'per hour',
    ],
    [
      'Time to insolvency',
      left === null ? (interest === null ? 'unknown' : 'solvent') : timeText(left),
      `until debt or replication lag reaches ${durationText(snapshot.reclaim_age_s)}`,
    ],
    [
      'Unhealthy',
      `${numberText(100 * snapshot.unhealthy_ratio, 0)}%`,
      'services down, ring mismatches, clock skew',
    ],
  );
  const when = note(
    'Last checked ',
    timeElement(1000 * snapshot.at_unix_s),
    '. Components with no data are not included in the total.',
  );
  return el('section', { className: 'card' }, shown, when);
}

function indexGauge({ index, reclaim_age_s: reclaim }: DebtSnapshot) {
  return gauge({
    name: `of ${durationText(reclaim)}`,
    value: index,
    max: 100,
    format: (value) => `${numberText(value, value < 1 ? 2 : 0)}%`,
    zones: [
      { from: 0, tone: 'good', text: 'A' },
      { from: 1, tone: 'good', text: 'B' },
      { from: 5, tone: 'warn', text: 'C' },
      { from: 20, tone: 'warn', text: 'D' },
      { from: 50, tone: 'crit', text: 'E' },
    ],
  });
}

function parts({ components, debt_s: debt }: DebtSnapshot) {
  const sum = components.reduce((all, one) => all + (one.debt_s ?? 0), 0);
  const items = components.map((one) => ({ name: NAMES[one.id], value: one.debt_s }));
  // Services that are not well make all repairs slower, so that the work takes longer.
  if (debt !== null && debt > sum) items.push({ name: 'Services not well', value: debt - sum });
  return waterfall({ items, total: 'Debt', format: timeText });
}

function day({ history }: DebtSnapshot) {
  return lineChart({
    series: [{ name: 'Debt', points: history.map((one) => ({ x: one.unix_s, y: one.debt_s })) }],
    x: TIME_AXIS,
    y: { title: 'Debt', format: timeText },
  });
}

function whatToDo({ drivers, components }: DebtSnapshot) {
  const namesOf = (wanted: Component['state']) =>
    components
      .filter(({ state }) => state === wanted)
      .map(({ id }) => NAMES[id])
      .join(', ');
  const [stale, unknown] = [namesOf('stale'), namesOf('unknown')];
  const lines = drivers.length === 0 ? ['No known issues.'] : [...drivers];
  if (stale !== '') {
    lines.push(`Outdated data: ${stale}. Check that swift-recon-cron is running.`);
  }
  if (unknown !== '') {
    lines.push(`No data for: ${unknown}. See the Source column for where the data comes from.`);
  }
  const items = lines.map((textContent) => el('li', { textContent }));
  return card('Recommended actions', el('ul', {}, ...items));
}

function componentTable({ components }: DebtSnapshot) {
  return tableCard('Components', components, [
    { title: 'Component', value: ({ id }) => NAMES[id] },
    numbers('Debt', (row) => row.debt_s, timeText, 'unknown'),
    {
      title: 'Count',
      number: true,
      value: (row) => row.count,
      cell: (row) =>
        row.oldest_s === null
          ? countText(row)
          : `${countText(row)}, oldest ${durationText(row.oldest_s)}`,
    },
    {
      title: 'Rate',
      value: (row) => row.rate,
      cell: (row) =>
        row.rate === null
          ? 'not applicable'
          : `${countText({ ...row, count: row.rate })}/s, ${row.rate_source === 'prior' ? 'assumed' : 'measured'}`,
    },
    badges('State', ({ state }) => state, STATES),
    numbers('Age', (row) => row.age_s, durationText, 'current sample'),
    { title: 'Source', value: ({ source }) => source },
  ]);
}

function nodeTable({ components }: DebtSnapshot) {
  const nodes = (components[0]?.by_node ?? []).map(({ node }) => node);
  const of = (node: string, component: Component) =>
    component.by_node.find((one) => one.node === node)?.debt_s ?? null;
  return tableCard('Nodes', nodes, [
    { title: 'Node', value: (node) => node },
    ...components.map((component) =>
      numbers(NAMES[component.id], (node: string) => of(node, component), timeText, 'unknown'),
    ),
  ]);
}

function countText({ count, unit }: Component) {
  if (count === null) return 'unknown';
  if (unit === 'seconds') return timeText(count);
  if (unit !== 'bytes') return `${numberText(count, 0)} ${unit}`;
  return count < 1e6 ? `${numberText(count / 1e3, 1)} kB` : `${numberText(count / 1e6, 1)} MB`;
}

function timeText(seconds: number | null) {
  if (seconds === null) return 'unknown';
  return seconds > 0 && seconds < 10 ? `${numberText(seconds, 2)} s` : durationText(seconds);
}
