import { $, el } from '../../../ui/dom.js';
import { onLooks } from '../../../ui/looks.js';
import { Logs } from './logs.js';
import { Nodes } from './nodes.js';
import { Panel } from './panel.js';
import { place, setPlace } from './place.js';
import { currentRange, isLive, type Range } from './range.js';
import { byReason } from './state.js';
import { Trace } from './trace.js';
import { Workers } from './workers.js';
import type { PanelsView as Catalogue } from '../routes.js';

interface Part {
  element: HTMLElement;
  everyTick?: boolean;
  isDue?: (range: Range) => boolean;
  load?: (range: Range) => Promise<void>;
  redraw?: () => void;
  destroy?: () => void;
}

/** The parts of a tab besides its charts. */
const EXTRAS: Record<string, { operator: boolean; make: () => Part }> = {
  gateway: { operator: true, make: () => new Workers() },
  nodes: { operator: false, make: () => new Nodes('nodes') },
  disks: { operator: false, make: () => new Nodes('disks') },
};

/** Tabs without charts. */
const ALONE: Record<string, (catalogue: Catalogue) => Part> = {
  logs: ({ log_levels: levels }) => new Logs(levels),
  trace: () => new Trace(),
};

/** Charts this near to what is seen are kept up to date; the others when they come near. */
const NEAR = '400px';

/** The tab that is open: its charts, tables and log; only these ask the console. */
export class TabContent {
  #catalogue;
  #operator;
  #parts: Part[] = [];
  #loadedS = 0;
  /** Parts that are near to what is seen. */
  #near = new Set<Part>();
  /** Parts that wait until they are. */
  #late = new Set<Part>();
  #more: MoreCharts | null = null;
  #panels: Panel[] = [];
  #hidden = el('p', { className: 'quiet whole hidden-charts' });
  #observer = new IntersectionObserver((entries) => this.#moved(entries), { rootMargin: NEAR });

  /** @param operator whether the user is one */
  constructor(catalogue: Catalogue, operator: boolean) {
    this.#catalogue = catalogue;
    this.#operator = operator;
    onLooks(() => {
      for (const part of this.#parts) part.redraw?.();
    });
  }

  open() {
    for (const part of this.#parts) part.destroy?.();
    this.#observer.disconnect();
    this.#near.clear();
    this.#late.clear();
    const alone = ALONE[place.tab];
    this.#parts = alone === undefined ? this.#charts() : [alone(this.#catalogue)];
    $('#range').hidden = place.tab === 'trace';
    $('#panel').replaceChildren(...(alone === undefined ? this.#dashboard() : this.#elements()));
    for (const { element } of this.#parts) this.#observer.observe(element);
    this.load();
  }

  /** @param panel id of a chart, or empty for the top of the tab */
  reveal(panel: string) {
    this.#more?.reveal(panel);
    const target = document.getElementById(`panel-${panel}`) ?? $('#panel');
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: 'center' });
  }

  load() {
    this.#loadedS = performance.now() / 1000;
    for (const part of this.#parts) this.#late.add(part);
    this.#catchUp();
  }

  #moved(entries: readonly IntersectionObserverEntry[]) {
    for (const { target, isIntersecting } of entries) {
      const part = this.#parts.find(({ element }) => element === target);
      if (part === undefined) continue;
      if (isIntersecting) this.#near.add(part);
      else this.#near.delete(part);
    }
    this.#catchUp();
  }

  #catchUp() {
    const range = currentRange();
    for (const part of this.#late) {
      if (!this.#near.has(part) && !part.isDue?.(range)) continue;
      this.#late.delete(part);
      void part.load?.(range);
    }
  }

  /** New figures are there: charts go on, no more often than they have points. */
  tick() {
    if (!isLive() || document.hidden || place.tab in ALONE) return;
    for (const part of this.#parts) if (part.everyTick) this.#late.add(part);
    this.#catchUp();
    const stepS = Math.max(10, Number(place.range) / 300);
    if (performance.now() / 1000 - this.#loadedS >= stepS) this.load();
  }

  #charts(): Part[] {
    const items = this.#catalogue.items.filter(({ tab }) => tab === place.tab);
    const listeners = {
      onSelect: (from: number, to: number) => setPlace({ from: String(from), to: String(to) }),
      onEmpty: () => this.#countHidden(),
    };
    this.#panels = items
      .filter(({ available }) => available)
      .map((item) => new Panel(item, listeners));
    const extra = EXTRAS[place.tab];
    const extras = extra !== undefined && (this.#operator || !extra.operator) ? [extra.make()] : [];
    return place.tab === 'gateway' ? [...this.#panels, ...extras] : [...extras, ...this.#panels];
  }

  #elements() {
    return this.#parts.map(({ element }) => element);
  }

  /** The main charts on one screen, the others below a line that opens them. */
  #dashboard() {
    const items = this.#catalogue.items.filter(({ tab }) => tab === place.tab);
    const main = new Set(items.filter((item) => item.main).map(({ id }) => `panel-${id}`));
    const isFirst = ({ id }: HTMLElement) => main.size === 0 || id === '' || main.has(id);
    const first = this.#elements().filter(isFirst);
    const rest = this.#elements().filter((element) => !isFirst(element));
    this.#more = rest.length === 0 ? null : new MoreCharts(rest);
    this.#countHidden();
    return [
      el('div', { className: main.size === 0 ? 'panels' : 'panels main' }, ...first),
      ...(this.#more === null ? [] : [this.#more.element]),
      this.#hidden,
    ];
  }

  /** Says which charts are not shown, and why. */
  #countHidden() {
    const { items } = this.#catalogue;
    const missing = items.filter(({ tab, available }) => tab === place.tab && !available);
    const hidden = [
      ...this.#panels.map(({ title, emptyBecause: reason }) => ({ title, reason })),
      ...missing.map(({ title, reason = 'not measured in this setup' }) => ({ title, reason })),
    ];
    const reasons = byReason(hidden);
    const text = reasons === '' ? '' : `Not shown: ${reasons}.`;
    if (this.#hidden.textContent !== text) this.#hidden.textContent = text;
    this.#hidden.hidden = text === '';
    this.#more?.count();
  }
}

/** Charts that are not on the first screen of a tab. */
class MoreCharts {
  element;
  #charts;
  #summary = el('summary');

  constructor(charts: readonly HTMLElement[]) {
    this.#charts = charts;
    this.element = el(
      'details',
      { className: 'more-charts', open: place.more !== '' },
      this.#summary,
      el('div', { className: 'panels' }, ...charts),
    );
    this.element.ontoggle = () => {
      const more = this.element.open ? '1' : '';
      if (this.element.isConnected && more !== place.more) setPlace({ more });
    };
  }

  count() {
    const shown = this.#charts.filter(({ hidden }) => !hidden).length;
    this.#summary.textContent = `More charts (${shown})`;
    this.element.hidden = shown === 0;
  }

  /** @param panel id of a chart, which is shown if it is among these */
  reveal(panel: string) {
    if (this.#charts.some(({ id }) => id === `panel-${panel}`)) this.element.open = true;
  }
}
