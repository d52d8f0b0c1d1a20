import { bytesText, el } from '../../../ui/dom.js';
import { beforeAfterChart } from '../../../ui/charts/before-after.js';
import { ChartFigure } from '../../../ui/charts/figure.js';
import { card, numberText, table, tabList } from '../../../ui/parts.js';
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
      {
        title: 'Replicas to move',
        value: (row) => row.parts_moved,
        cell: (row) => numberText(row.parts_moved),
        number: true,
      },
      {
        title: 'Share of replicas',
        value: (row) => row.moved_pct,
        cell: (row) => percent(row.moved_pct, ''),
        number: true,
      },
      {
        title: 'Data to copy (estimate)',
        value: (row) => row.bytes_est,
        cell: bytesCell,
        number: true,
      },
      {
        title: 'Balance',
        value: (row) => row.balance_after_pct,
        cell: (row) => change(row.balance_before_pct, row.balance_after_pct),
        number: true,
      },
      {
        title: 'Dispersion',
        value: (row) => row.dispersion_after_pct,
        cell: (row) => change(row.dispersion_before_pct, row.dispersion_after_pct),
        number: true,
      },
      {
        title: 'Follow-up plans',
        value: (row) => row.next_steps_parts_moved.length,
        number: true,
      },
    ],
    changes,
  );
}

function bytesCell({ bytes_est: bytes, parts_moved: moved }: RingChange) {
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
  const before = shares(devices, ({ weight_before: weight, parts_before: parts }) => ({
    weight,
    parts,
  }));
  const after = shares(devices, ({ weight_after: weight, parts_after: parts }) => ({
    weight,
    parts,
  }));
  const items = devices.map((device, at) => ({
    name: `${device.node} ${device.device}`,
    before: before[at] ?? null,
    after: after[at] ?? null,
  }));
  const far = (one: { before: number | null; after: number | null }) =>
    Math.max(Math.abs(one.before ?? 0), Math.abs(one.after ?? 0));
  const shown =
    items.length <= DEVICES_MAX
      ? items
      : items.toSorted((a, b) => far(b) - far(a)).slice(0, DEVICES_MAX);
  const rest = items.length - shown.length;
  const title =
    rest > 0
      ? `${change.ring} balance by device (${DEVICES_MAX} of ${items.length}, largest deviation first)`
      : `${change.ring} balance by device`;
  return new ChartFigure(
    title,
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
function shares(
  devices: readonly Device[],
  read: (device: Device) => { weight: number | null; parts: number | null },
): (number | null)[] {
  const all = devices.map(read);
  const weights = all.reduce((sum, { weight }) => sum + (weight ?? 0), 0);
  const parts = all.reduce((sum, one) => sum + (one.parts ?? 0), 0);
  return all.map(({ weight, parts: own }) => {
    if (weight === null || own === null || weight === 0 || parts === 0) return null;
    return 100 * ((own * weights) / (parts * weight) - 1);
  });
}

function deviceCard(change: RingChange) {
  const number = (value: number | null) => (value === null ? '–' : numberText(value));
  const changed = devicesOf(change);
  return card(
    `${change.ring} devices`,
    table(
      `${change.ring} devices`,
      [
        { title: 'Node', value: (row) => row.node },
        { title: 'Device', value: (row) => row.device },
        {
          title: 'Weight before',
          value: (row) => row.weight_before,
          cell: (row) => number(row.weight_before),
          number: true,
        },
        {
          title: 'Weight after',
          value: (row) => row.weight_after,
          cell: (row) => number(row.weight_after),
          number: true,
        },
        {
          title: 'Partitions before',
          value: (row) => row.parts_before,
          cell: (row) => number(row.parts_before),
          number: true,
        },
        {
          title: 'Partitions after',
          value: (row) => row.parts_after,
          cell: (row) => number(row.parts_after),
          number: true,
        },
        {
          title: 'Difference',
          value: (row) => (row.parts_after ?? 0) - (row.parts_before ?? 0),
          cell: (row) => signed((row.parts_after ?? 0) - (row.parts_before ?? 0)),
          number: true,
        },
      ],
      changed,
    ),
  );
}

function signed(value: number) {
  return value > 0 ? `+${numberText(value)}` : numberText(value);
}
