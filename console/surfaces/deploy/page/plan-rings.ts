import { bytesText, el } from '../../../ui/dom.js';
import { beforeAfterChart } from '../../../ui/charts/before-after.js';
import { ChartFigure } from '../../../ui/charts/figure.js';
import { card, numberText, table, tabList } from '../../../ui/parts.js';
import { figureColumn } from './views.js';
import type { Plan } from './control.js';

type RingChange = Plan['ring_changes'][number];

interface Device {
  id: number;
  node: string;
  device: string;
  weight_before: number | null;
  weight_after: number | null;
  parts_before: number | null;
  parts_after: number | null;
}

/** Devices that the chart has; the table has all. */
const DEVICES_MAX = 60;

/** The effect of a plan on rings: a table of all, and one of them with its devices. */
export function ringCards({ ring_changes: changes }: Plan) {
  if (changes.length === 0) return [card('Rings', el('p', { textContent: 'No ring changes.' }))];
  const detail = el('div', { className: 'deploy-panel' });
  let figure: ChartFigure | undefined;
  const choose = (name: string) => {
    const chosen = changes.find(({ ring }) => ring === name);
    if (chosen === undefined) return;
    figure?.destroy();
    figure = balanceFigure(chosen);
    detail.replaceChildren(figure.element, deviceCard(chosen));
  };
  const [first] = changes;
  const tabs = tabList(
    'Rings',
    changes.map(({ ring }) => ({ id: `ring-${ring}`, title: ring })),
    `ring-${first?.ring ?? ''}`,
    (id) => choose(id.replace(/^ring-/, '')),
  );
  choose(first?.ring ?? '');
  return [card('Rings', ringTable(changes)), tabs, detail];
}

function ringTable(changes: readonly RingChange[]) {
  const change = (before: number | null, after: number | null) =>
    `${percent(before, 'new')} → ${percent(after, 'unknown')}`;
  return table(
    'Ring changes',
    [
      { title: 'Ring', value: (row) => row.ring },
      figureColumn('Replicas to move', 'parts_moved', (moved, _row: RingChange) =>
        numberText(moved),
      ),
      figureColumn('Share of replicas', 'moved_pct', (pct) => percent(pct, '')),
      figureColumn('Data to copy (estimate)', 'bytes_est', bytesCell),
      figureColumn('Balance', 'balance_after_pct', (after, row: RingChange) =>
        change(row.balance_before_pct, after),
      ),
      figureColumn('Dispersion', 'dispersion_after_pct', (after, row: RingChange) =>
        change(row.dispersion_before_pct, after),
      ),
      {
        title: 'Follow-up plans',
        value: (row) => row.next_steps_parts_moved.length,
        number: true,
      },
    ],
    changes,
  );
}

function bytesCell(bytes: number | null, { parts_moved: moved }: RingChange) {
  if (moved === 0) return bytesText(0);
  return bytes === null ? 'unknown' : bytesText(bytes);
}

function percent(value: number | null, otherwise: string) {
  return value === null ? otherwise : `${numberText(value)}%`;
}

function devicesOf({ devices }: RingChange): readonly Device[] {
  return devices as readonly Device[];
}

/** How far each device is from its share, before and after. */
function balanceFigure(change: RingChange) {
  const devices = devicesOf(change);
  const before = shares(devices, 'before');
  const after = shares(devices, 'after');
  const items = devices.map((device, at) => ({
    name: `${device.node} ${device.device}`,
    before: before[at] ?? null,
    after: after[at] ?? null,
  }));
  const far = (one: { before: number | null; after: number | null }) =>
    Math.max(Math.abs(one.before ?? 0), Math.abs(one.after ?? 0));
  const isCut = items.length > DEVICES_MAX;
  const shown = isCut ? items.toSorted((a, b) => far(b) - far(a)).slice(0, DEVICES_MAX) : items;
  const cut = isCut ? ` (${DEVICES_MAX} of ${items.length}, largest deviation first)` : '';
  return new ChartFigure(
    `${change.ring} balance by device${cut}`,
    beforeAfterChart({
      items: shown,
      format: (value) => `${numberText(value, 1)}%`,
      columns: ['Device', 'Before', 'After'],
    }),
  );
}

/**
 * The difference between what each device has and its share by weight, in per cent of the share.
 *
 * @returns null for a device that is not in the ring, or has no weight
 */
function shares(devices: readonly Device[], when: 'before' | 'after'): (number | null)[] {
  const all = devices.map((device) => ({
    weight: device[`weight_${when}`],
    parts: device[`parts_${when}`],
  }));
  const weights = all.reduce((sum, { weight }) => sum + (weight ?? 0), 0);
  const parts = all.reduce((sum, one) => sum + (one.parts ?? 0), 0);
  return all.map(({ weight, parts: own }) => {
    if (weight === null || own === null || weight === 0 || parts === 0) return null;
    return 100 * ((own * weights) / (parts * weight) - 1);
  });
}

function deviceCard(change: RingChange) {
  const number = (value: number | null) => (value === null ? '–' : numberText(value));
  return card(
    `${change.ring} devices`,
    table(
      `${change.ring} devices`,
      [
        { title: 'Node', value: (row) => row.node },
        { title: 'Device', value: (row) => row.device },
        figureColumn('Weight before', 'weight_before', number),
        figureColumn('Weight after', 'weight_after', number),
        figureColumn('Partitions before', 'parts_before', number),
        figureColumn('Partitions after', 'parts_after', number),
        {
          title: 'Difference',
          value: (row) => (row.parts_after ?? 0) - (row.parts_before ?? 0),
          cell: (row) => signed((row.parts_after ?? 0) - (row.parts_before ?? 0)),
          number: true,
        },
      ],
      devicesOf(change),
    ),
  );
}

function signed(value: number) {
  return value > 0 ? `+${numberText(value)}` : numberText(value);
}
