import { label } from '../../../js/charts/axes.js';
import { heatScale } from '../../../js/charts/heat-map.js';
import { gridOf, labelSpace, plain, widthOf } from '../../../js/charts/shapes.js';

/**
 * @typedef {import('../../../../surfaces/lab/rings/ring-map.js').RingMap} RingMap
 * @typedef {{ part: number, parts: number, device: number, devices: number }} View what is shown of a
 *   ring, from the first one on; need not be whole numbers
 * @typedef {RingMap & { counts: ArrayLike<number>, grid: import('../../../js/charts/shapes.js').Grid }} DecodedMap
 */

const HEIGHT_MOST = 480;
const ROW_MOST = 22;
const ROW_LABEL_PX = 28;
const BOTTOM = 58;
/** The closest view. */
const LEAST = { parts: 16, devices: 4 };

/**
 * A map with its counts as numbers, which are looked at once: what moves or resizes the chart does
 * not look at them again.
 *
 * @param {RingMap} map
 * @returns {DecodedMap}
 */
export function decodeMap(map) {
  const text = globalThis.atob(map.cells);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  const counts = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[map.cell_bytes];
  const values = new counts(bytes.buffer);
  const grid = gridOf(map.columns, values, { low: map.least, high: map.most });
  return { ...map, counts: values, grid };
}

/**
 * @param {View} view
 * @param {View} whole
 * @returns {View} as near to it as the ring allows
 */
export function clamped({ part, parts, device, devices }, whole) {
  const tall = Math.min(whole.parts, Math.max(parts, LEAST.parts));
  const wide = Math.min(whole.devices, Math.max(devices, LEAST.devices));
  return {
    part: Math.max(0, Math.min(part, whole.parts - tall)),
    parts: tall,
    device: Math.max(0, Math.min(device, whole.devices - wide)),
    devices: wide,
  };
}

/**
 * @param {View} view
 * @param {number} factor how much closer
 * @param {{ x: number, y: number }} at what stays where it is, as shares of the view
 * @returns {View}
 */
export function zoomed({ part, parts, device, devices }, factor, { x, y }) {
  const [tall, wide] = [parts / factor, devices / factor];
  return {
    part: part + y * (parts - tall),
    parts: tall,
    device: device + x * (devices - wide),
    devices: wide,
  };
}

/**
 * @param {View} view
 * @param {number} x how far, as shares of the view
 * @param {number} y
 * @returns {View}
 */
export function panned(view, x, y) {
  return { ...view, part: view.part + y * view.parts, device: view.device + x * view.devices };
}

/**
 * A view as the URL has it: `1024-512-10-20` are 512 partitions from 1024 on, and 20 devices.
 *
 * @param {View} view
 * @param {View} whole which has no text
 */
export function viewText({ part, parts, device, devices }, whole) {
  if (parts === whole.parts && devices === whole.devices) return '';
  return [part, parts, device, devices].map(Math.round).join('-');
}

/**
 * @param {string} text
 * @param {View} whole
 * @returns {View}
 */
export function viewFromText(text, whole) {
  if (!/^\d{1,10}(?:-\d{1,10}){3}$/.test(text)) return whole;
  const [part = 0, parts = 0, device = 0, devices = 0] = text.split('-').map(Number);
  return clamped({ part, parts, device, devices }, whole);
}

/**
 * Where the cells are in a chart of some width.
 *
 * @param {View} whole
 * @param {number} width
 */
export function plotOf(whole, width) {
  const left = labelSpace([plain(whole.parts)], width * 0.3);
  return { left, width: width - left, height: Math.min(HEIGHT_MOST, whole.parts * ROW_MOST) };
}

/**
 * A view of a ring, partitions from top to bottom, devices from left to right. The counts may be of
 * another view: they are moved and stretched then, until those of this view have come.
 *
 * @param {{
 *   map: DecodedMap,
 *   view: View,
 *   whole: View,
 *   nameOf: (place: number) => string,
 * }} data `nameOf`: the name of a device by its place among the columns
 * @returns {import('../../../js/charts/shapes.js').Chart}
 */
export function mapChart({ map, view, whole, nameOf }) {
  const { parts_per_row: perRow, devices_per_column: perColumn, columns, rows, counts } = map;
  const nameOfColumn = (/** @type {number} */ column) => {
    const first = map.first_device + column * perColumn;
    const last = Math.min(whole.devices, first + perColumn) - 1;
    return last > first ? `${nameOf(first)} to ${nameOf(last)}` : nameOf(first);
  };
  const firstOf = (/** @type {number} */ row) => map.first_part + row * perRow;
  return {
    height: (width) => plotOf(whole, width).height + BOTTOM,
    describe: () => {
      const last = plain(Math.round(view.part + view.parts) - 1);
      return `Replicas of partitions ${plain(Math.round(view.part))} to ${last} on ${plain(Math.round(view.devices))} devices, in cells of ${plain(perRow)} partitions by ${plain(perColumn)} devices. ${plain(map.least)} to ${plain(map.most)} replicas per cell.`;
    },
    table: () => ({
      head: ['First partition', ...Array.from({ length: columns }, (_, at) => nameOfColumn(at))],
      rows: Array.from({ length: rows }, (_, row) => [
        String(firstOf(row)),
        ...Array.from({ length: columns }, (_unused, at) => counts[row * columns + at] ?? null),
      ]),
    }),
    at: (x, y, width) => {
      const plot = plotOf(whole, width);
      const part = view.part + (y / plot.height) * view.parts;
      const device = view.device + ((x - plot.left) / plot.width) * view.devices;
      const row = Math.floor((part - map.first_part) / perRow);
      const column = Math.floor((device - map.first_device) / perColumn);
      if (row < 0 || row >= rows || column < 0 || column >= columns || x < plot.left) return '';
      const first = firstOf(row);
      const span =
        perRow === 1
          ? `Partition ${plain(first)}`
          : `Partitions ${plain(first)} to ${plain(first + perRow - 1)}`;
      return `${span}, ${nameOfColumn(column)}: ${replicasText(counts[row * columns + column] ?? 0)}`;
    },
    shapes(width) {
      const { left, height, ...plot } = plotOf(whole, width);
      const tall = height / view.parts;
      const wide = plot.width / view.devices;
      return [
        {
          kind: 'cells',
          ...{ x: left, y: 0, width: plot.width, height, grid: map.grid },
          part: {
            x: (view.device - map.first_device) / perColumn,
            y: (view.part - map.first_part) / perRow,
            width: view.devices / perColumn,
            height: view.parts / perRow,
          },
        },
        ...marks(view.part, view.parts, ROW_LABEL_PX / tall).map((part) => {
          const middle = (part + 0.5 - view.part) * tall + 4;
          return label(left - 6, Math.min(height, Math.max(10, middle)), plain(part), 'end');
        }),
        ...columnLabels(view, nameOf, { left, wide, y: height + 16 }),
        ...heatScale(left, height + 32, {
          low: plain(map.least),
          high: replicasText(map.most),
        }),
      ];
    },
  };
}

/** @param {number} count */
function replicasText(count) {
  return count === 1 ? '1 replica' : `${plain(count)} replicas`;
}

/**
 * @param {View} view
 * @param {(place: number) => string} nameOf
 * @param {{ left: number, wide: number, y: number }} plot `wide`: the pixels of a device
 */
function columnLabels(view, nameOf, { left, wide, y }) {
  const [first, last] = [Math.floor(view.device), Math.ceil(view.device + view.devices) - 1];
  const px = Math.max(widthOf(nameOf(first)), widthOf(nameOf(last))) + 16;
  const edge = left + view.devices * wide;
  return marks(view.device, view.devices, px / wide).flatMap((place) => {
    const x = left + (place + 0.5 - view.device) * wide;
    const isCut = x - px / 2 < 0 || x + px / 2 - 16 > edge;
    return isCut ? [] : [label(x, y, nameOf(place), 'middle')];
  });
}

/**
 * Whole numbers at a distance that is a power of two.
 *
 * @param {number} from
 * @param {number} count
 * @param {number} distance the least one
 */
function marks(from, count, distance) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(distance)));
  const first = Math.ceil(from / step);
  const length = Math.max(0, Math.ceil((from + count) / step) - first);
  return Array.from({ length }, (_, at) => (first + at) * step);
}
