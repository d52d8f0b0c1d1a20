import { TIME_AXIS } from '../../../../ui/charts/axes.js';
import { call } from '../../../../ui/api.js';
import { ChartFigure } from '../../../../ui/charts/figure.js';
import { gauge } from '../../../../ui/charts/gauge.js';
import { lineChart } from '../../../../ui/charts/lines.js';
import { waterfall } from '../../../../ui/charts/waterfall.js';
import { $, durationText, el } from '../../../../ui/dom.js';
import { timeElement } from '../../../../ui/times.js';
import {
  badge,
  card,
  figures,
  fill,
  numberText,
  pageHead,
  problem,
  table,
} from '../../page/ground.js';
import type { DebtSnapshot } from '../debt-watch.js';

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

const STATES: Record<Component['state'], ['ok' | 'warn' | 'crit' | 'info', string]> = {
  known: ['ok', 'known'],
  partial: ['warn', 'partial'],
  stale: ['warn', 'stale'],
  unknown: ['info', 'unknown'],
};

/** Shows what repair work the cluster owes, and follows it. */
export async function mount() {
  const main = $('#main');
  main.classList.add('lab-page');
  const body = el('div', { className: 'lab-page' });
  main.append(pageHead(), body);
  let view: ReturnType<typeof debtView> | undefined;
  const refresh = async () => {
    const snapshot = await call('GET', '/lab/api/debt/snapshot', undefined, view !== undefined);
    if (view === undefined) {
      view = debtView();
      body.replaceChildren(view.element);
    }
    view.show(snapshot);
  };
  await fill(body, async () => {
    await refresh();
    return view === undefined ? [] : [view.element];
  });
  const said = el('div');
  body.prepend(said);
  setInterval(() => {
    refresh().then(
      () => said.replaceChildren(),
      (error: unknown) => said.replaceChildren(problem(error)),
    );
  }, REFRESH_MS);
}

/** All that the page shows of a snapshot; it is made once, and shows each that comes. */
function debtView() {
  let charts: ChartFigure[] = [];
  const head = el('div');
  const advice = el('div');
  const tables = el('div', { className: 'lab-page' });
  const places = el('div', { className: 'lab-columns' });
  const wide = el('div', { className: 'lab-page' });
  const element = el('div', { className: 'lab-page' }, head, places, wide, advice, tables);
  const show = (snapshot: DebtSnapshot) => {
    const drawn = [
      ['Debt relative to reclaim_age', indexGauge(snapshot)],
      ['Debt by component', parts(snapshot)],
      ['Last 24 hours', day(snapshot)],
    ] as const;
    if (charts.length === 0) {
      charts = drawn.map(([title, chart]) => new ChartFigure(title, chart));
      places.replaceChildren(...charts.slice(0, 2).map((one) => one.element));
      wide.replaceChildren(...charts.slice(2).map((one) => one.element));
    } else for (const [index, [, chart]] of drawn.entries()) charts[index]?.show(chart);
    head.replaceChildren(headline(snapshot));
    advice.replaceChildren(whatToDo(snapshot));
    tables.replaceChildren(componentTable(snapshot), nodeTable(snapshot));
  };
  return { element, show };
}

function headline(snapshot: DebtSnapshot) {
  const { debt_s: debt, interest_s_per_h: interest, tti_s: left, grade } = snapshot;
  const shown = figures([
    { label: 'Debt', value: timeText(debt), hint: 'of repair work' },
    { label: 'Grade', value: grade ?? 'unknown', hint: 'A is best, E is worst' },
    {
      label: 'Interest',
      value:
        interest === null
          ? 'unknown'
          : `${interest < 0 ? '−' : '+'}${timeText(Math.abs(interest))}`,
      hint: interest === null ? 'requires 10 samples within an hour' : 'per hour',
    },
    {
      label: 'Time to insolvency',
      value: left === null ? (interest === null ? 'unknown' : 'solvent') : timeText(left),
      hint: `until debt or replication lag reaches ${durationText(snapshot.reclaim_age_s)}`,
    },
    {
      label: 'Unhealthy',
      value: `${numberText(100 * snapshot.unhealthy_ratio, 0)}%`,
      hint: 'services down, ring mismatches, clock skew',
    },
  ]);
  const when = el(
    'p',
    { className: 'lab-note' },
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
  const unknown = components.filter(({ state }) => state === 'unknown').map(({ id }) => NAMES[id]);
  const lines = drivers.map((textContent) => el('li', { textContent }));
  if (drivers.length === 0) lines.push(el('li', { textContent: 'No known issues.' }));
  const stale = components.filter(({ state }) => state === 'stale').map(({ id }) => NAMES[id]);
  if (stale.length > 0) {
    lines.push(
      el('li', {
        textContent: `Outdated data: ${stale.join(', ')}. Check that swift-recon-cron is running.`,
      }),
    );
  }
  if (unknown.length > 0) {
    lines.push(
      el('li', {
        textContent: `No data for: ${unknown.join(', ')}. See the Source column for where the data comes from.`,
      }),
    );
  }
  return card('Recommended actions', el('ul', {}, ...lines));
}

function componentTable({ components }: DebtSnapshot) {
  return card(
    'Components',
    table(
      'Components',
      [
        { title: 'Component', value: (row) => NAMES[row.id] },
        {
          title: 'Debt',
          number: true,
          value: (row) => row.debt_s,
          cell: (row) => timeText(row.debt_s),
        },
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
        {
          title: 'State',
          value: (row) => row.state,
          cell: (row) => badge(STATES[row.state][1], STATES[row.state][0]),
        },
        {
          title: 'Age',
          number: true,
          value: (row) => row.age_s,
          cell: (row) => (row.age_s === null ? 'current sample' : durationText(row.age_s)),
        },
        { title: 'Source', value: (row) => row.source },
      ],
      components,
    ),
  );
}

function nodeTable({ components }: DebtSnapshot) {
  const nodes = (components[0]?.by_node ?? []).map(({ node }) => node);
  const of = (node: string, component: Component) =>
    component.by_node.find((one) => one.node === node)?.debt_s ?? null;
  return card(
    'Nodes',
    table(
      'Nodes',
      [
        { title: 'Node', value: (node) => node },
        ...components.map((component) => ({
          title: NAMES[component.id],
          number: true,
          value: (node: string) => of(node, component),
          cell: (node: string) => timeText(of(node, component)),
        })),
      ],
      nodes,
    ),
  );
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
