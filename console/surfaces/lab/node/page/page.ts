import { TIME_AXIS } from '../../../../ui/charts/axes.js';
import { call, MISSED } from '../../../../ui/api.js';
import { ChartFigure } from '../../../../ui/charts/figure.js';
import { lineChart, stackedChart } from '../../../../ui/charts/lines.js';
import { $, el } from '../../../../ui/dom.js';
import { timeElement } from '../../../../ui/times.js';
import {
  badge,
  card,
  fill,
  numberText,
  pageHead,
  problem,
  setViewState,
  viewState,
} from '../../page/ground.js';
import { impactTable, nodeCard } from './cards.js';
import { drillTable, journalCard, reportFigures } from './report.js';
import type { DrillReport } from '../drill.js';
import type { DrillView } from '../drills.js';
import type { DrillsView } from '../page.js';
import type { StreamState, Topics } from '../../../../ui/api.js';

const LOOK_MS = 2000;
const OVER = ['done', 'failed', 'cancelled', 'reverted'];

/** Handles news: of one drill, or of any. */
let onNews: (id: string | undefined) => void = () => undefined;

export const topics: Topics = {
  runs: ({ id, kind }) => {
    if (kind === 'lab.node') onNews(id);
  },
};

/** Asks for all that was said while there was no connection. */
export function onConnection(state: StreamState) {
  if (state !== 'stale') onNews(undefined);
}

/** Shows the nodes, takes one down for a time, and says what came of it. */
export async function mount() {
  const page = new NodePage();
  onNews = (id) => page.hear(id);
  window.addEventListener(MISSED, () => page.hear(undefined));
  await page.begin();
}

class NodePage {
  #said = el('div');
  #cards = el('div', { className: 'node-cards' });
  #detail = el('div', { className: 'lab-page' });
  #list = el('div');
  #nodes = new Map<string, ReturnType<typeof nodeCard>>();
  #view: DrillsView = { items: [], needs: null, can_force: false };
  #shown = '';
  #isOver = false;
  #isAsking = false;
  #charts: ChartFigure[] = [];

  constructor() {
    const main = $('#main');
    main.classList.add('lab-page');
    main.append(pageHead(), this.#said, this.#cards, this.#detail, this.#list);
  }

  async begin() {
    await fill(this.#cards, async () => {
      await this.#drills();
      await this.#look();
      return [...this.#nodes.values()].map(({ element }) => element);
    });
    const { run } = viewState();
    if (run !== undefined) this.#open(run);
    setInterval(() => void this.#lookAgain(), LOOK_MS);
  }

  hear(id: string | undefined) {
    if (id === undefined || id !== this.#shown || !this.#isOver)
      void this.#drills().catch(() => undefined);
    if (this.#shown !== '' && !this.#isOver && (id === undefined || id === this.#shown))
      void this.#show();
  }

  #open = (id: string) => {
    setViewState({ run: id });
    this.#shown = id;
    this.#isOver = false;
    this.#charts = [];
    this.#detail.replaceChildren();
    void this.#show();
  };

  async #lookAgain() {
    if (document.hidden || this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.#look();
      this.#said.replaceChildren();
    } catch (error) {
      this.#said.replaceChildren(problem(error));
    } finally {
      this.#isAsking = false;
    }
  }

  async #look() {
    const { nodes, now_unix_s: nowS } = await call('GET', '/lab/api/node/status', undefined, true);
    for (const node of nodes) {
      let one = this.#nodes.get(node.name);
      if (one === undefined) {
        one = nodeCard(node.name, () => this.#view, this.#open);
        this.#nodes.set(node.name, one);
      }
      one.show(node, nowS);
    }
    if (nodes.length === 0) {
      this.#said.replaceChildren(
        problem(new Error('No nodes configured. cluster_nodes is empty.')),
      );
    }
  }

  async #drills() {
    this.#view = await call('GET', '/lab/api/node/drills', undefined, true);
    const { items, needs } = this.#view;
    const lack =
      needs === null
        ? []
        : [
            el('p', {
              className: 'lab-note',
              textContent: `Node drills are not available here. Required: ${needs}.`,
            }),
          ];
    this.#list.replaceChildren(
      ...lack,
      ...(items.length === 0 ? [] : [drillTable(items, this.#open)]),
    );
  }

  async #show() {
    const id = this.#shown;
    try {
      const view = await call('GET', `/lab/api/node/drills/${id}`, undefined, true);
      if (this.#shown !== id) return;
      this.#isOver = OVER.includes(view.run.state);
      this.#detail.replaceChildren(...this.#drill(view));
    } catch (error) {
      if (this.#shown === id) this.#detail.replaceChildren(problem(error));
    }
  }

  #drill({ run, journal }: DrillView) {
    const report = run.result ?? run.detail;
    const head = el(
      'div',
      { className: 'row' },
      badge(run.state, run.state === 'done' ? 'ok' : this.#isOver ? 'warn' : 'info'),
      el('span', {}, `${run.target}, by ${run.actor}, `, timeElement(1000 * run.started_unix_s)),
    );
    const error =
      run.error === null ? [] : [el('p', { className: 'error', textContent: run.error.message })];
    const title = this.#isOver ? 'After-report' : 'Drill';
    const stopped = el('p', {
      className: 'quiet',
      textContent: `Stopped services: ${run.params.services.join(', ')}.`,
    });
    const first = card(
      title,
      head,
      ...error,
      stopped,
      ...(report === null ? [] : [reportFigures(report)]),
    );
    const charts = report === null ? [] : this.#timeline(report);
    return [
      first,
      ...charts,
      card('Expected impact', impactTable(run.params.impact)),
      journalCard(journal),
    ];
  }

  #timeline({ samples }: DrillReport) {
    const x = TIME_AXIS;
    const share = (part: number | null, all: number | null) =>
      part === null || all === null || all === 0 ? null : (100 * part) / all;
    const answers = lineChart({
      series: [
        {
          name: 'Writes and reads',
          points: samples.map((one) => ({ x: one.at_unix_s, y: share(one.probes_ok, one.probes) })),
        },
        {
          name: 'Servers of other nodes',
          points: samples.map((one) => ({
            x: one.at_unix_s,
            y: share(one.servers_ok, one.servers),
          })),
        },
      ],
      x,
      y: { title: 'Success rate', format: (value) => `${numberText(value, 0)}%` },
    });
    const work = stackedChart({
      series: [
        {
          name: 'Handoff copies',
          points: samples.map((one) => ({
            x: one.at_unix_s,
            y: one.disks?.handoff_copies ?? null,
          })),
        },
        {
          name: 'Pending updates',
          points: samples.map((one) => ({ x: one.at_unix_s, y: one.disks?.async_pending ?? null })),
        },
      ],
      x,
      y: { title: 'Count', format: (value) => numberText(value, 0) },
    });
    const drawn = [
      ['Client and server responses', answers],
      ['Repair backlog', work],
    ] as const;
    if (this.#charts.length === 0)
      this.#charts = drawn.map(([title, chart]) => new ChartFigure(title, chart));
    else for (const [at, [, chart]] of drawn.entries()) this.#charts[at]?.show(chart);
    return [el('div', { className: 'lab-columns' }, ...this.#charts.map(({ element }) => element))];
  }
}
