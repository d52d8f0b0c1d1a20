import { el } from '../../../js/dom.js';
import { onLooks } from '../../../js/looks.js';
import { badge, card, figures, numberText, percentText, table } from '../ground.js';

/**
 * @typedef {import('../../../../surfaces/lab/rings/ring-report.js').RingReport} RingReport
 * @typedef {import('../../../../surfaces/lab/rings/ring-report.js').DeviceRow} DeviceRow
 */

const LEVELS = ['', 'Region', 'Zone', 'Server', 'Device'];

/**
 * What is seen first.
 *
 * @param {RingReport} report
 */
export function summary(report) {
  const { required_overload: overload } = report;
  /** @type {HTMLElement[]} */
  const nodes = [
    figures([
      { label: 'Partitions', value: numberText(report.parts), hint: `2^${report.part_power}` },
      { label: 'Replicas', value: numberText(report.replicas) },
      {
        label: 'Balance',
        value: `${numberText(report.balance_pct)} %`,
        hint: 'furthest device from its share',
      },
      {
        label: 'Dispersion',
        value: `${numberText(report.dispersion_pct)} %`,
        hint: 'replicas closer together than needed',
      },
      {
        label: 'Required overload',
        value: overload === null ? 'unknown' : percentText(overload, 2),
        hint: 'the overload itself is not in a ring file',
      },
    ]),
  ];
  if (report.next_part_power !== null) {
    nodes.unshift(
      badge(`The part power is being changed: next is ${report.next_part_power}`, 'warn'),
    );
  }
  return nodes;
}

/** @param {RingReport} report */
export function devicesPanel({ devices }) {
  const most = Math.max(1, ...devices.map((device) => Math.max(device.parts, device.wanted_parts)));
  return [
    card(
      'Devices, and the partitions that they have',
      table(
        'Devices',
        [
          { title: 'Id', value: (row) => row.id, number: true },
          { title: 'Region', value: (row) => row.region, number: true },
          { title: 'Zone', value: (row) => row.zone, number: true },
          { title: 'Server', value: (row) => `${row.ip}:${row.port}` },
          { title: 'Device', value: (row) => row.device },
          { title: 'Weight', value: (row) => row.weight, number: true },
          {
            title: 'Wanted',
            value: (row) => row.wanted_parts,
            cell: (row) => numberText(row.wanted_parts, 1),
            number: true,
          },
          { title: 'Has', value: (row) => row.parts, number: true },
          { title: 'Share', value: (row) => row.parts / most, cell: (row) => bar(row, most) },
          {
            title: 'Balance',
            value: (row) => row.balance_pct,
            cell: (row) => `${numberText(row.balance_pct)} %`,
            number: true,
          },
        ],
        devices,
      ),
    ),
  ];
}

/** A deviation, in per cent, that is worth a look. */
const FAR_PCT = 5;

/**
 * @param {DeviceRow} row
 * @param {number} most
 */
function bar(row, most) {
  const made = el('span', { className: 'lab-bar' }, el('span'));
  const inner = /** @type {HTMLElement} */ (made.firstElementChild);
  inner.style.width = `${(100 * row.parts) / most}%`;
  if (Math.abs(row.balance_pct) > FAR_PCT) made.dataset.state = 'warn';
  return made;
}

/** @param {RingReport} report */
export function spreadPanel({ tiers }) {
  const most = Math.max(0, ...tiers.map(({ histogram }) => histogram.length - 1));
  const counts = Array.from({ length: most + 1 }, (_, held) => ({
    title: `${held} replicas`,
    value: (/** @type {any} */ row) => row.histogram[held] ?? 0,
    number: true,
  }));
  return [
    card(
      'How many replicas of a partition lie in one region, zone, server or device',
      table(
        'Spread',
        [
          { title: 'Level', value: (row) => LEVELS[row.depth] ?? '' },
          { title: 'Name', value: (row) => row.name },
          { title: 'At most needed', value: (row) => row.max_replicas, number: true },
          ...counts,
          {
            title: 'Too many',
            value: (row) => row.dispersion_pct,
            cell: (row) =>
              badge(`${numberText(row.dispersion_pct)} %`, row.dispersion_pct > 0 ? 'warn' : 'ok'),
            number: true,
          },
        ],
        tiers,
      ),
    ),
  ];
}

const ROW_HEIGHT_MIN = 2;
const MAP_HEIGHT = 320;

/**
 * Partitions from top to bottom, devices from left to right; the darker, the more replicas.
 *
 * @param {RingReport} report
 */
export function heatMapPanel({ heat_map: map, devices }) {
  const canvas = el('canvas', { className: 'lab-canvas' });
  const byId = new Map(devices.map((device) => [device.id, device]));
  const pointed = el('p', { className: 'lab-note' });
  pointed.setAttribute('aria-live', 'polite');
  const rowHeight = Math.max(ROW_HEIGHT_MIN, Math.floor(MAP_HEIGHT / map.rows.length));
  const name = (/** @type {number} */ column) => {
    const device = byId.get(map.device_ids[column] ?? -1);
    return device === undefined ? '' : `${device.ip}:${device.port}/${device.device}`;
  };
  const draw = () => {
    const width = Math.max(map.device_ids.length, Math.round(canvas.clientWidth) || 640);
    canvas.width = width;
    canvas.height = rowHeight * map.rows.length;
    const context = canvas.getContext('2d');
    if (context === null) return;
    const most = Math.max(1, ...map.rows.flat());
    context.fillStyle = getComputedStyle(canvas).getPropertyValue('--accent');
    for (const [index, cells] of map.rows.entries()) {
      for (const [column, count] of cells.entries()) {
        if (count === 0) continue;
        context.globalAlpha = 0.08 + (0.92 * count) / most;
        const from = Math.floor((column * width) / cells.length);
        const to = Math.floor(((column + 1) * width) / cells.length);
        context.fillRect(from, index * rowHeight, Math.max(1, to - from), rowHeight);
      }
    }
  };
  canvas.setAttribute('role', 'img');
  canvas.setAttribute(
    'aria-label',
    `Replicas of ${map.rows.length} ranges of ${map.parts_per_row} partitions on ${map.device_ids.length} devices; the table below has the same numbers.`,
  );
  canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    const column = Math.floor((offsetX / canvas.clientWidth) * map.device_ids.length);
    const index = Math.floor((offsetY / canvas.clientHeight) * map.rows.length);
    const from = index * map.parts_per_row;
    const count = map.rows[index]?.[column];
    if (count === undefined) return;
    const range =
      map.parts_per_row === 1
        ? `Partition ${from}`
        : `Partitions ${from} to ${from + map.parts_per_row - 1}`;
    pointed.textContent = `${range} on ${name(column)}: ${count} replicas.`;
  });
  new ResizeObserver(draw).observe(canvas);
  onLooks(draw);
  const rows = map.rows.flatMap((cells, index) =>
    cells.flatMap((count, column) =>
      count === 0 ? [] : [{ from: index * map.parts_per_row, device: name(column), count }],
    ),
  );
  return [
    card(
      'Partitions (down) on devices (across, in order of region, zone and server)',
      canvas,
      pointed,
      table(
        'Heat map',
        [
          { title: 'First partition', value: (row) => row.from, number: true },
          { title: 'Device', value: (row) => row.device },
          { title: 'Replicas', value: (row) => row.count, number: true },
        ],
        rows,
        50,
      ),
    ),
  ];
}
