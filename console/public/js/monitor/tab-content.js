import { $, el } from '../dom.js';
import { Logs } from './logs.js';
import { Nodes } from './nodes.js';
import { Panel } from './panel.js';
import { place, setPlace } from './place.js';
import { currentRange, isLive } from './range.js';
import { Workers } from './workers.js';

/** What stands on a tab besides its charts. */
const EXTRAS = {
  gateway: { before: [], after: [Workers] },
  nodes: { before: [() => new Nodes('nodes')], after: [] },
  disks: { before: [() => new Nodes('disks')], after: [] },
};

/** The tab that is open: its charts, tables and log; only these ask the console. */
export class TabContent {
  #catalogue;
  #operator;
  #parts = [];
  #loadedS = 0;

  /** @param catalogue - the answer of `/api/monitor/panels` */
  constructor(catalogue, operator) {
    this.#catalogue = catalogue;
    this.#operator = operator;
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      for (const part of this.#parts) part.redraw?.();
    });
  }

  open() {
    for (const part of this.#parts) part.destroy?.();
    this.#parts = place.tab === 'logs' ? [new Logs(this.#catalogue.log_levels)] : this.#charts();
    const nodes = this.#parts.map((part) => part.element);
    $('#panel').className = place.tab === 'logs' ? '' : 'panels';
    $('#panel').replaceChildren(...nodes);
    this.load();
  }

  /** @param panel - id of a chart, or empty for the top of the tab */
  reveal(panel) {
    const target = document.getElementById(`panel-${panel}`) ?? $('#panel');
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: 'center' });
  }

  load() {
    this.#loadedS = performance.now() / 1000;
    const range = currentRange();
    for (const part of this.#parts) void part.load?.(range);
  }

  /** New figures are there: charts go on, no more often than they have points. */
  tick() {
    if (!isLive() || document.hidden || place.tab === 'logs') return;
    const stepS = Math.max(10, Number(place.range) / 300);
    if (performance.now() / 1000 - this.#loadedS >= stepS) this.load();
  }

  #charts() {
    const items = this.#catalogue.items.filter(({ tab }) => tab === place.tab);
    const onSelect = (from, to) => setPlace({ from: String(from), to: String(to) });
    const charts = items
      .filter(({ available }) => available)
      .map((item) => new Panel(item, onSelect));
    const missing = items.filter(({ available }) => !available);
    const { before = [], after = [] } = EXTRAS[place.tab] ?? {};
    return [
      ...before.map((make) => make()),
      ...charts,
      ...(missing.length === 0 ? [] : [{ element: missingPanels(missing) }]),
      ...(this.#operator ? after.map((Part) => new Part()) : []),
    ];
  }
}

/** Charts that there cannot be here, by what they would need. */
function missingPanels(items) {
  const reasons = new Map();
  for (const { title, reason = 'not measured here' } of items) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), title]);
  }
  const list = [...reasons].map(([reason, titles]) =>
    el('li', {}, el('strong', { textContent: titles.join(', ') }), `: ${reason}`),
  );
  return el(
    'section',
    { className: 'card whole off' },
    el('h3', { textContent: 'Not measured here' }),
    el('ul', {}, ...list),
  );
}
