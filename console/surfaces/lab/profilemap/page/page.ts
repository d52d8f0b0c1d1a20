import { call, query } from '../../../../ui/api.js';
import { barChart } from '../../../../ui/charts/bars.js';
import { ChartFigure } from '../../../../ui/charts/figure.js';
import { treeChart } from '../../../../ui/charts/tree.js';
import { durationText, el } from '../../../../ui/dom.js';
import {
  badges,
  card,
  facts,
  field,
  fill,
  keepInUrl,
  note,
  numberInput,
  numbers,
  numberText,
  openPage,
  problem,
  row,
  select,
  setViewState,
  stack,
  tableCard,
  tableOf,
  viewState,
} from '../../page/ground.js';
import type { PulseView } from '../page.js';
import type { ProfileSnapshot as Snapshot } from '../profile-map.js';
import type { Tone } from '../../page/ground.js';

type Node = Snapshot['root'];

const STATES: Record<Snapshot['sources'][number]['state'], Tone> = {
  live: 'ok',
  silent: 'warn',
  unavailable: 'crit',
  off: 'info',
};

/** By so much a stage is slower, or faster, than before, to be coloured. */
const MUCH = 1.5;

/** Shows where the time of requests goes, now and in what is measured from here. */
export async function mount() {
  const page = new Page();
  openPage(page.element);
  await page.refresh();
}

class Page {
  element = stack();
  #path = select('path', [
    ['put', 'PUT'],
    ['get', 'GET'],
    ['replication', 'Replication'],
  ]);
  #shown = stack();
  #said = el('div');
  /** The former measurement, to compare with. */
  #before: Snapshot | null = null;
  #now: Snapshot | null = null;
  /** From when on is counted: a mark of the console; empty for all that was counted. */
  #mark = viewState().from ?? '';
  #charts: ChartFigure[] = [];

  constructor() {
    this.element.append(this.#controls(), this.#said, this.#shown);
  }

  async refresh() {
    await fill(this.#shown, async () => {
      const path = this.#path.value;
      return this.#show(
        await call('GET', `/lab/api/profilemap/snapshot?${query({ path, from: this.#mark })}`),
      );
    });
  }

  #countFrom(mark: string) {
    this.#mark = mark;
    setViewState({ ...viewState(), from: mark });
  }

  #controls() {
    const n = numberInput('n', 20, { min: '1', max: '200' });
    const bytes = numberInput('bytes', 65_536, { min: '0', max: '8388608' });
    const clients = numberInput('clients', 1, { min: '1', max: '8' });
    const button = el('button', { className: 'primary', textContent: 'Send pulse' });
    const form = el(
      'form',
      { className: 'lab-form' },
      field('Path', this.#path),
      field('Requests', n, '1 to 200'),
      field('Object size (bytes)', bytes, 'up to 8 MiB'),
      field('Concurrent clients', clients, '1 to 8'),
      button,
    );
    keepInUrl(form);
    this.#path.addEventListener('change', () => {
      this.#before = null;
      this.#countFrom('');
      void this.refresh();
    });
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      await this.#work(button, async () => {
        const pulse = await call('POST', '/lab/api/profilemap/pulse', {
          n: Number(n.value),
          bytes: Number(bytes.value),
          concurrency: Number(clients.value),
          path: this.#path.value === 'get' ? 'get' : 'put',
        });
        this.#said.replaceChildren(pulseCard(pulse));
        this.#keep();
        this.#shown.replaceChildren(...this.#show(pulse.snapshot));
      });
    });
    const mark = el('button', { textContent: 'Start measuring' });
    mark.addEventListener('click', () =>
      this.#work(mark, async () => {
        const { id } = await call('POST', '/lab/api/profilemap/marks', {});
        this.#keep();
        this.#countFrom(id);
        await this.refresh();
      }),
    );
    const look = el('button', { textContent: 'Refresh', onclick: () => void this.refresh() });
    const remark = note(
      'Test requests write or read objects in a temporary container. “Start measuring” counts from now on and uses the figures shown so far as the baseline.',
    );
    return card('Measure', form, row(mark, look), remark);
  }

  /** Keeps the shown measurement, for the comparison with the next one. */
  #keep() {
    this.#before = this.#now;
  }

  async #work(button: HTMLButtonElement, work: () => Promise<void>) {
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      this.#said.replaceChildren(problem(error));
    } finally {
      button.disabled = false;
    }
  }

  #show(snapshot: Snapshot) {
    this.#now = snapshot;
    for (const chart of this.#charts) chart.destroy();
    const before = this.#before?.path === snapshot.path ? this.#before : null;
    const former = new Map(before === null ? [] : flat(before.root).map((node) => [node.id, node]));
    const tree = treeChart({ root: chartNode(snapshot.root, former), format: msText });
    this.#charts = [new ChartFigure('Time per request', tree)];
    if (before !== null) {
      this.#charts.push(new ChartFigure('Before and after', beside(snapshot.root, former)));
    }
    const window =
      snapshot.window_s === null
        ? 'Counted since the counters started.'
        : `Counted during this measurement (${durationText(snapshot.window_s)}).`;
    return [
      ...this.#charts.map(({ element }) => element),
      stageTable(snapshot.root, former, window),
      sourceTable(snapshot),
    ];
  }
}

function flat(root: Node): Node[] {
  return [root, ...root.children.flatMap(flat)];
}

function chartNode(
  node: Node,
  former: ReadonlyMap<string, Node>,
): Parameters<typeof treeChart>[0]['root'] {
  const children = node.children.map((child) => chartNode(child, former));
  const change = changeOf(node, former.get(node.id));
  const tone = change === 'slower' ? 'crit' : change === 'faster' ? 'good' : null;
  const note = [
    node.p95_ms === null ? '' : `p95 ${msText(node.p95_ms)}`,
    change === null ? '' : `${change} than before`,
  ];
  return {
    name: node.name,
    value: node.mean_ms,
    note: note.filter(Boolean).join(', '),
    children,
    ...(tone === null ? {} : { tone }),
  };
}

/** @returns null where it is about the same, or not known */
function changeOf(node: Node, before: Node | undefined): 'slower' | 'faster' | null {
  const [now, then] = [node.mean_ms, before?.mean_ms ?? null];
  // Below a tenth of a millisecond, noise is as large.
  if (now === null || then === null || Math.max(now, then) < 0.1) return null;
  if (now > then * MUCH) return 'slower';
  return then > now * MUCH ? 'faster' : null;
}

function beside(root: Node, former: ReadonlyMap<string, Node>) {
  const stages = flat(root).filter(
    ({ children, mean_ms: mean }) => children.length === 0 && mean !== null,
  );
  return barChart({
    columns: ['Stage', 'Mean (ms)'],
    format: msText,
    items: stages.flatMap((node) => [
      { name: node.name, value: node.mean_ms, tone: 0 },
      { name: `${node.name}, before`, value: former.get(node.id)?.mean_ms ?? null, tone: 'quiet' },
    ]),
  });
}

function stageTable(root: Node, former: ReadonlyMap<string, Node>, window: string) {
  return card(
    'Stages',
    note(window),
    tableOf('Stages', flat(root).slice(1), [
      { title: 'Stage', value: (node) => node.name },
      numbers(
        'Samples',
        (node) => node.count,
        (count) => numberText(count, 0),
        'not measured',
      ),
      numbers('Mean', (node) => node.mean_ms, msText),
      numbers('p95', (node) => node.p95_ms, msText),
      numbers('Total', (node) => node.total_ms, msText),
      numbers('Previous mean', (node) => former.get(node.id)?.mean_ms ?? null, msText),
    ]),
  );
}

function sourceTable({ sources }: Snapshot) {
  return tableCard('Sources', sources, [
    { title: 'Source', value: ({ title }) => title },
    badges('State', ({ state }) => state, STATES),
    { title: 'Note', value: (source) => source.note },
  ]);
}

function pulseCard({ n, errors, p50_ms: p50, p95_ms: p95, api }: PulseView) {
  return card(
    'Pulse',
    facts(
      [
        'Requests',
        String(n),
        api === 's3' ? 'S3 requests to the gateway' : 'Swift requests to the store',
      ],
      ['Failed', String(errors)],
      ['Client p50', textOf(p50)],
      ['Client p95', textOf(p95)],
    ),
  );
}

function textOf(ms: number | null) {
  return ms === null ? '–' : msText(ms);
}

function msText(ms: number) {
  return ms < 0.1 && ms > 0 ? `${numberText(1000 * ms, 1)} µs` : `${numberText(ms)} ms`;
}
