import { TIME_AXIS } from '../../../../ui/charts/axes.js';
import { call } from '../../../../ui/api.js';
import { lineChart, stackedChart } from '../../../../ui/charts/lines.js';
import { el } from '../../../../ui/dom.js';
import { runPage, stateBadge } from '../../../../ui/run-page.js';
import { timeElement } from '../../../../ui/times.js';
import { Charts } from '../../page/charts.js';
import { card, note, numberText, pageHead, problem, quiet, row, stack } from '../../page/ground.js';
import { impactTable, nodeCard } from './cards.js';
import { journalCard, reportFigures } from './report.js';
import type { DrillReport, DrillSample } from '../drill.js';
import type { DrillView } from '../drills.js';
import type { DrillsView } from '../page.js';

const LOOK_MS = 2000;

export const { mount, topics, onConnection } = runPage({
  head: pageHead,
  kind: 'lab.node',
  listTitle: 'Drills',
  list: () => call('GET', '/lab/api/node/drills', undefined, true),
  read: (id) => call('GET', `/lab/api/node/drills/${id}`, undefined, true),
  runOf: ({ run }) => run,
  form: nodeCards,
  show: drillView,
  columns: [
    { title: 'Node', value: ({ target }) => target },
    { title: 'Seconds', value: ({ params }) => params.ttl_s },
  ],
});

/** The nodes, which are looked at every other second. */
async function nodeCards(view: DrillsView, open: (id: string) => void) {
  const said = el('div');
  const cards = el('div', { className: 'node-cards' });
  const known = new Map<string, ReturnType<typeof nodeCard>>();
  const look = async () => {
    const { nodes, now_unix_s: nowS } = await call('GET', '/lab/api/node/status', undefined, true);
    if (nodes.length === 0) throw new Error('No nodes configured. cluster_nodes is empty.');
    for (const node of nodes) {
      const one = known.get(node.name) ?? nodeCard(node.name, view, open);
      if (!known.has(node.name)) cards.append(one.element);
      known.set(node.name, one);
      one.show(node, nowS);
    }
  };
  let isAsking = false;
  const lookAgain = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      await look();
      said.replaceChildren();
    } catch (error) {
      said.replaceChildren(problem(error));
    } finally {
      isAsking = false;
    }
  };
  await lookAgain();
  setInterval(() => {
    if (!document.hidden) void lookAgain();
  }, LOOK_MS);
  const { needs } = view;
  const lack =
    needs === null ? [] : [note(`Node drills are not available here. Required: ${needs}.`)];
  return stack(said, cards, ...lack);
}

function drillView({ run, journal }: DrillView, isOver: boolean) {
  const report = run.result ?? run.detail;
  const said = `${run.target}, by ${run.actor}, `;
  const parts = [
    row(stateBadge(run), el('span', {}, said, timeElement(1000 * run.started_unix_s))),
    ...(run.error === null
      ? []
      : [el('p', { className: 'error', textContent: run.error.message })]),
    quiet(`Stopped services: ${run.params.services.join(', ')}.`),
    ...(report === null ? [] : [reportFigures(report)]),
  ];
  return [
    card(isOver ? 'After-report' : 'Drill', ...parts),
    ...(report === null ? [] : [timeline(report)]),
    card('Expected impact', impactTable(run.params.impact)),
    journalCard(journal),
  ];
}

const charts = new Charts();

function timeline({ samples }: DrillReport) {
  const series = (name: string, y: (sample: DrillSample) => number | null) => ({
    name,
    points: samples.map((sample) => ({ x: sample.at_unix_s, y: y(sample) })),
  });
  const share = (part: number | null, all: number | null) =>
    part === null || all === null || all === 0 ? null : (100 * part) / all;
  const answers = lineChart({
    series: [
      series('Writes and reads', (one) => share(one.probes_ok, one.probes)),
      series('Servers of other nodes', (one) => share(one.servers_ok, one.servers)),
    ],
    x: TIME_AXIS,
    y: { title: 'Success rate', format: (value) => `${numberText(value, 0)}%` },
  });
  const work = stackedChart({
    series: [
      series('Handoff copies', ({ disks }) => disks?.handoff_copies ?? null),
      series('Pending updates', ({ disks }) => disks?.async_pending ?? null),
    ],
    x: TIME_AXIS,
    y: { title: 'Count', format: (value) => numberText(value, 0) },
  });
  return el(
    'div',
    { className: 'lab-columns' },
    charts.draw('Client and server responses', answers),
    charts.draw('Repair backlog', work),
  );
}
