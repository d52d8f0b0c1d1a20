import { el } from '../../../../ui/dom.js';
import {
  badge,
  card,
  facts,
  numbers,
  numberText,
  pctText,
  percentText,
  tableOf,
} from '../../page/ground.js';
import type { DeviceRow, RingReport } from '../ring-report.js';

const LEVELS = ['', 'Region', 'Zone', 'Server', 'Device'];

/** The figures that are seen first. */
export function summary(report: RingReport) {
  const { required_overload: overload } = report;
  const nodes: HTMLElement[] = [
    facts(
      ['Partitions', numberText(report.parts), `2^${report.part_power}`],
      ['Replicas', numberText(report.replicas)],
      ['Balance', pctText(report.balance_pct), 'largest deviation of a device from its fair share'],
      [
        'Dispersion',
        pctText(report.dispersion_pct),
        'replicas placed closer together than necessary',
      ],
      [
        'Required overload',
        overload === null ? 'unknown' : percentText(overload, 2),
        'the configured overload is not stored in ring files',
      ],
    ),
  ];
  if (report.next_part_power !== null) {
    nodes.unshift(
      badge(`Part power change in progress: next is ${report.next_part_power}`, 'warn'),
    );
  }
  return nodes;
}

export function devicesPanel({ devices }: RingReport) {
  const most = Math.max(1, ...devices.map((device) => Math.max(device.parts, device.wanted_parts)));
  return [
    card(
      'Partitions by device',
      tableOf('Devices', devices, [
        { title: 'ID', value: (row) => row.id, number: true },
        { title: 'Region', value: (row) => row.region, number: true },
        { title: 'Zone', value: (row) => row.zone, number: true },
        { title: 'Server', value: (row) => `${row.ip}:${row.port}` },
        { title: 'Device', value: (row) => row.device },
        { title: 'Weight', value: (row) => row.weight, number: true },
        numbers(
          'Expected',
          (row) => row.wanted_parts,
          (parts) => numberText(parts, 1),
        ),
        { title: 'Assigned', value: (row) => row.parts, number: true },
        { title: 'Share', value: (row) => row.parts / most, cell: (row) => bar(row, most) },
        numbers('Balance', (row) => row.balance_pct, pctText),
      ]),
    ),
  ];
}

/** A deviation, in per cent, that is worth a look. */
const FAR_PCT = 5;

function bar(row: DeviceRow, most: number) {
  const made = el('span', { className: 'lab-bar' }, el('span'));
  const inner = made.firstElementChild as HTMLElement;
  inner.style.width = `${(100 * row.parts) / most}%`;
  if (Math.abs(row.balance_pct) > FAR_PCT) made.dataset.state = 'warn';
  return made;
}

export function spreadPanel({ tiers }: RingReport) {
  const most = Math.max(0, ...tiers.map(({ histogram }) => histogram.length - 1));
  const counts = Array.from({ length: most + 1 }, (_, held) => ({
    title: `${held} replicas`,
    value: (row: RingReport['tiers'][number]) => row.histogram[held] ?? 0,
    number: true,
  }));
  return [
    card(
      'Replicas of a partition per region, zone, server and device',
      tableOf('Spread', tiers, [
        { title: 'Level', value: (row) => LEVELS[row.depth] ?? '' },
        { title: 'Name', value: (row) => row.name },
        { title: 'Max replicas', value: (row) => row.max_replicas, number: true },
        ...counts,
        {
          title: 'Dispersion',
          value: (row) => row.dispersion_pct,
          cell: (row) => badge(pctText(row.dispersion_pct), row.dispersion_pct > 0 ? 'warn' : 'ok'),
          number: true,
        },
      ]),
    ),
  ];
}
