import { $, el } from '../../js/dom.js';
import { onLooks } from '../../js/looks.js';
import { Logs } from './logs.js';
import { Nodes } from './nodes.js';
import { Panel } from './panel.js';
import { place, setPlace } from './place.js';
import { currentRange, isLive } from './range.js';
import { Workers } from './workers.js';

/**
 * @typedef {import('../../../surfaces/monitor/routes.js').PanelsView} Catalogue
 * @typedef {{
 *   element: HTMLElement,
 *   everyTick?: boolean,
 *   load?: (range: { from: number, to: number }) => Promise<void>,
 *   redraw?: () => void,
 *   destroy?: () => void,
 * }} Part of a tab
 */

/**
 * What stands on a tab besides its charts.
 *
 * @type {Record<string, { operator: boolean, make: () => Part }>}
 */
const EXTRAS = {
  gateway: { operator: true, make: () => new Workers() },
  nodes: { operator: false, make: () => new Nodes('nodes') },
  disks: { operator: false, make: () => new Nodes('disks') },
};

/** Charts this near to what is seen are kept up to date; the others when they come near. */
const NEAR = '400px';

/** The tab that is open: its charts, tables and log; only these ask the console. */
export class TabContent {
  #catalogue;
  #operator;
  /** @type {Part[]} */
  #parts = [];
  #loadedS = 0;
  /**
   * Parts that are near to what is seen.
   *
   * @type {Set<Part>}
   */
  #near = new Set();
  /**
   * Parts that wait until they are.
   *
   * @type {Set<Part>}
   */
  #late = new Set();
  #observer = new IntersectionObserver((entries) => this.#moved(entries), { rootMargin: NEAR });

  /**
   * @param {Catalogue} catalogue
   * @param {boolean} operator whether the user is one
   */
  constructor(catalogue, operator) {
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
    this.#parts = place.tab === 'logs' ? [new Logs(this.#catalogue.log_levels)] : this.#charts();
    const nodes = this.#parts.map((part) => part.element);
    $('#panel').className = place.tab === 'logs' ? '' : 'panels';
    $('#panel').replaceChildren(...nodes);
    for (const node of nodes) this.#observer.observe(node);
    this.load();
  }

  /** @param {string} panel id of a chart, or empty for the top of the tab */
  reveal(panel) {
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

  /** @param {readonly IntersectionObserverEntry[]} entries */
  #moved(entries) {
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
      if (!this.#near.has(part)) continue;
      this.#late.delete(part);
      void part.load?.(range);
    }
  }

  /** New figures are there: charts go on, no more often than they have points. */
  tick() {
    if (!isLive() || document.hidden || place.tab === 'logs') return;
    for (const part of this.#parts) if (part.everyTick) this.#late.add(part);
    this.#catchUp();
    const stepS = Math.max(10, Number(place.range) / 300);
    if (performance.now() / 1000 - this.#loadedS >= stepS) this.load();
  }

  /** @returns {Part[]} */
  #charts() {
    const items = this.#catalogue.items.filter(({ tab }) => tab === place.tab);
    const onSelect = (/** @type {number} */ from, /** @type {number} */ to) =>
      setPlace({ from: String(from), to: String(to) });
    const charts = items
      .filter(({ available }) => available)
      .map((item) => new Panel(item, onSelect));
    const missing = items.filter(({ available }) => !available);
    const extra = EXTRAS[place.tab];
    const extras = extra !== undefined && (this.#operator || !extra.operator) ? [extra.make()] : [];
    return [
      ...extras,
      ...charts,
      ...(missing.length === 0 ? [] : [{ element: missingPanels(missing) }]),
    ];
  }
}

/**
 * Charts that there cannot be here, by what they would need.
 *
 * @param {Catalogue['items']} items
 */
function missingPanels(items) {
  /** @type {Map<string, string[]>} */
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
