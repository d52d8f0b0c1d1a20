import { call } from '../../../../ui/api.js';
import { bytesText, el } from '../../../../ui/dom.js';
import {
  badge,
  card,
  fill,
  missingHere,
  numbers,
  openPage,
  plainButton,
  setViewState,
  stack,
  tableCard,
  tabList,
  viewState,
} from '../../page/ground.js';
import { agreementCard } from './agreement.js';
import { comparePanel } from './compare.js';
import { lookupPanel } from './lookup.js';
import { heatMapPanel } from './heat-map.js';
import { devicesPanel, spreadPanel, summary } from './report.js';
import { WHAT_IF_FIELDS, whatIfPanel } from './what-if.js';
import { zonesPanel } from './zones.js';
import type { BrokenRing, RingRow, RingsView } from '../page.js';
import type { RingReport } from '../ring-report.js';

/** A ring, or why its file cannot be used. */
type AnyRing = Partial<RingRow> & Partial<BrokenRing> & { readonly name: string };

export interface RingContext {
  ring: RingRow;
  rings: RingsView;
  report: () => Promise<RingReport>;
}

/** `keeps`: what of the URL is about the tab alone. */
const TABS: readonly {
  id: string;
  title: string;
  panel: (context: RingContext) => Promise<readonly Node[]>;
  keeps?: readonly string[];
}[] = [
  { id: 'devices', title: 'Devices', panel: async ({ report }) => devicesPanel(await report()) },
  { id: 'spread', title: 'Spread', panel: async ({ report }) => spreadPanel(await report()) },
  { id: 'zones', title: 'Zones', panel: async ({ report }) => zonesPanel(await report()) },
  { id: 'map', title: 'Heat map', panel: heatMapPanel, keeps: ['view'] },
  {
    id: 'lookup',
    title: 'Look up',
    panel: async (context) => lookupPanel(context),
    keeps: ['place', 'live'],
  },
  { id: 'whatif', title: 'What-if', panel: whatIfPanel, keeps: WHAT_IF_FIELDS },
  {
    id: 'compare',
    title: 'Compare',
    panel: async (context) => comparePanel(context),
    keeps: ['with', 'stored'],
  },
];

/** Shows the rings, and all there is to know about one of them. */
export async function mount() {
  const list = el('div');
  const detail = stack();
  const agreement = el('div');
  openPage(list, agreement, detail);
  const missing = await missingHere();
  if (missing !== null) {
    list.replaceChildren(missing);
    return;
  }
  await fill(list, async () => {
    const rings = await call('GET', '/lab/api/rings');
    const { ring: wanted } = viewState();
    const usable = rings.items.filter((item) => 'md5' in item);
    const chosen =
      usable.find(({ name }) => name === wanted) ??
      usable.find(({ name }) => name === 'object') ??
      usable[0];
    if (chosen !== undefined) showRing(detail, rings, chosen);
    return [ringTable(rings, (ring) => showRing(detail, rings, ring))];
  });
  await fill(agreement, async () => [agreementCard(await call('GET', '/lab/api/rings/agreement'))]);
}

function ringTable(rings: RingsView, onChoose: (ring: RingRow) => void) {
  return tableCard('Rings', rings.items as readonly AnyRing[], [
    {
      title: 'Ring',
      value: (row) => row.name,
      cell: (row) =>
        'md5' in row ? plainButton(row.name, () => onChoose(row as RingRow)) : row.name,
    },
    { title: 'Policy', value: (row) => row.policy_name ?? null, cell: policyCell },
    { title: 'Partitions', value: (row) => row.parts ?? null, number: true },
    { title: 'Replicas', value: (row) => row.replicas ?? null, number: true },
    { title: 'Devices', value: (row) => row.devices ?? null, number: true },
    { title: 'Version', value: (row) => row.ring_version ?? null, number: true },
    numbers('File', (row) => row.bytes ?? null, bytesText),
    {
      title: 'MD5',
      value: (row) => row.md5 ?? null,
      cell: ({ md5 = '' }) => el('code', { textContent: md5.slice(0, 8), title: md5 }),
    },
  ]);
}

function policyCell(row: AnyRing) {
  if (row.error !== undefined) return badge(row.error.message, 'crit');
  if (typeof row.problem === 'string') return badge(row.problem, 'warn');
  return row.policy_name ?? '–';
}

function showRing(place: HTMLElement, rings: RingsView, ring: RingRow) {
  const { tab = 'devices' } = viewState();
  const panel = el('div', { id: 'ring-panel', className: 'lab-page', tabIndex: 0 });
  panel.setAttribute('role', 'tabpanel');
  const top = el('div');
  let asked: Promise<RingReport> | undefined;
  const report = () => {
    asked ??= call('GET', `/lab/api/rings/${ring.name}`).then((answer) => answer as RingReport);
    return asked;
  };
  const context = { ring, rings, report };
  const show = (id: string) => {
    const chosen = TABS.find((one) => one.id === id) ?? TABS[0];
    if (chosen === undefined) return;
    const { keeps = [] } = chosen;
    const kept = Object.entries(viewState()).filter(([key]) => keeps.includes(key));
    setViewState({ ring: ring.name, tab: chosen.id, ...Object.fromEntries(kept) });
    panel.setAttribute('aria-labelledby', `tab-${chosen.id}`);
    panel.replaceChildren();
    void fill(panel, () => chosen.panel(context));
  };
  place.replaceChildren(
    card(`Ring ${ring.name}`, top),
    tabList('Ring details', TABS, TABS.some(({ id }) => id === tab) ? tab : 'devices', show),
    panel,
  );
  void fill(top, async () => summary(await report()));
  show(tab);
}
