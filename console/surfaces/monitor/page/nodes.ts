import { call } from '../../../ui/api.js';
import { el } from '../../../ui/dom.js';
import { skeleton } from '../../../ui/skeleton.js';
import { bar } from './bars.js';
import { numberCell, table, type TableColumns } from './cells.js';
import { notOfNow, stateMark, unavailable } from './state.js';
import { figure } from './units.js';
import type { NodesView } from '../routes.js';

type StorageNode = NodesView['items'][number];

const COLUMNS: TableColumns = [
  ['Node'],
  ['State'],
  ['Services', 'number'],
  ['Async pending', 'number'],
  ['Replication age', 'number'],
  ['Quarantined', 'number'],
  ['Clock skew', 'number'],
  ['Unmounted', 'number'],
  ['Rings'],
];

/** The rows that are shown until it is known how many there are. */
const ROWS = 4;

/** Storage nodes, a row each; or their disks, a bar each. */
export class Nodes {
  /** Says what is so now, whatever the range. */
  everyTick = true;
  element = el('section', { className: 'card whole' });
  #body = el('div', {}, skeleton(ROWS));
  #render;

  constructor(what: 'nodes' | 'disks') {
    const title = what === 'nodes' ? 'Storage nodes' : 'Disks';
    this.#render = what === 'nodes' ? nodeTable : diskBars;
    this.element.ariaLabel = title;
    this.element.append(el('h3', { textContent: title }), this.#body);
  }

  async load() {
    try {
      const view = await call('GET', '/api/monitor/nodes', undefined, true);
      const shown = view.items.length > 0 ? this.#render(view.items) : [];
      this.#body.replaceChildren(...notOfNow(view), ...shown);
    } catch (error) {
      this.#body.replaceChildren(unavailable(error));
    }
  }
}

function onlineMark({ online, reason }: StorageNode) {
  if (online === null) return stateMark('unknown');
  return online
    ? stateMark('ok', 'online')
    : stateMark('crit', reason === null ? 'down' : `down: ${reason}`);
}

function ringMark(matches: boolean | null) {
  if (matches === null) return stateMark('unknown');
  return matches ? stateMark('ok', 'same') : stateMark('crit', 'differ');
}

function servicesCell({ services_up: up, services }: StorageNode) {
  if (up === null || services === null) return numberCell(null, 'count');
  return el('td', { className: 'number', textContent: `${up} / ${services}` });
}

function nodeTable(items: readonly StorageNode[]) {
  const rows = items.map((item) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row', textContent: item.name }),
      el('td', {}, onlineMark(item)),
      servicesCell(item),
      numberCell(item.async_pending, 'count'),
      numberCell(item.replication_age_s, 's'),
      numberCell(item.quarantined, 'count'),
      numberCell(item.clock_skew_s, 's'),
      numberCell(item.unmounted, 'count'),
      el('td', {}, ringMark(item.ring_matches)),
    ),
  );
  return [table('Storage nodes', COLUMNS, rows)];
}

function diskBars(items: readonly StorageNode[]) {
  return items.map(({ name, disks }) => {
    const list = disks.map(diskBar);
    const none = el('p', { className: 'quiet', textContent: 'No disk data.' });
    return el(
      'div',
      { className: 'node-disks' },
      el('h4', { textContent: name }),
      list.length === 0 ? none : el('ul', { className: 'bars' }, ...list),
    );
  });
}

function diskBar({
  device,
  size_bytes: size,
  used_bytes: used,
  mounted,
}: StorageNode['disks'][number]) {
  if (mounted === false) return bar(device, null, 1, 'ratio', 'unmounted ✖');
  if (size === null || used === null || size === 0) return bar(device, null, 1, 'ratio');
  const text = `${figure(used / size, 'ratio')} of ${figure(size, 'bytes')}`;
  return bar(device, used / size, 1, 'ratio', text);
}
