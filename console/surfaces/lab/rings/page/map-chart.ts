import { label } from '../../../../ui/charts/axes.js';
import { heatScale } from '../../../../ui/charts/heat-map.js';
import { gridOf, labelSpace, plain, widthOf } from '../../../../ui/charts/shapes.js';
import type { RingMap } from '../ring-map.js';
import type { Chart, Grid } from '../../../../ui/charts/shapes.js';

/** The part of a ring that is shown, from the first one on; need not be whole numbers. */
export interface View {
  part: number;
  parts: number;
  device: number;
  devices: number;
}

export type DecodedMap = RingMap & { counts: ArrayLike<number>; grid: Grid };

const HEIGHT_MOST = 480;
const ROW_MOST = 22;
const ROW_LABEL_PX = 28;
const BOTTOM = 58;
/** The closest view. */
const LEAST = { parts: 16, devices: 4 };

/**
 * A map with its counts as numbers, which are looked at once: what moves or resizes the chart does
 * not look at them again.
 */
export function decodeMap(map: RingMap): DecodedMap {
  const text = globalThis.atob(map.cells);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  const counts = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[map.cell_bytes];
  const values = new counts(bytes.buffer);
  const grid = gridOf(map.columns, values, { low: map.least, high: map.most });
  return { ...map, counts: values, grid };
}

/** @returns as near to it as the ring allows */
export function clamped({ part, parts, device, devices }: View, whole: View): View {
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
 * @param factor how much closer
 * @param at what stays where it is, as shares of the view
 */
export function zoomed(
  { part, parts, device, devices }: View,
  factor: number,
  { x, y }: { x: number; y: number },
): View {
  const [tall, wide] = [parts / factor, devices / factor];
  return {
    part: part + y * (parts - tall),
    parts: tall,
    device: device + x * (devices - wide),
    devices: wide,
  };
}

/** @param x how far, as shares of the view */
export function panned(view: View, x: number, y: number): View {
  return { ...view, part: view.part + y * view.parts, device: view.device + x * view.devices };
}

/**
 * A view as the URL has it: `1024-512-10-20` are 512 partitions from 1024 on, and 20 devices.
 *
 * @param whole which has no text
 */
export function viewText({ part, parts, device, devices }: View, whole: View) {
  if (parts === whole.parts && devices === whole.devices) return '';
  return [part, parts, device, devices].map(Math.round).join('-');
}

export function viewFromText(text: string, whole: View): View {
  if (!/^\d{1,10}(?:-\d{1,10}){3}$/.test(text)) return whole;
  const [part = 0, parts = 0, device = 0, devices = 0] = text.split('-').map(Number);
  return clamped({ part, parts, device, devices }, whole);
}

/** Where the cells are in a chart of some width. */
export function plotOf(whole: View, width: number) {
  const left = labelSpace([plain(whole.parts)], width * 0.3);
  return { left, width: width - left, height: Math.min(HEIGHT_MOST, whole.parts * ROW_MOST) };
}

/**
 * A view of a ring, partitions from top to bottom, devices from left to right. The counts may be of
 * another view: they are moved and stretched then, until those of this view have come.
 *
 * @param data `nameOf`: the name of a device by its place among the columns
 */
export function mapChart({
  map,
  view,
  whole,
  nameOf,
}: {
  map: DecodedMap;
  view: View;
  whole: View;
  nameOf: (place: number) => string;
}): Chart {
  const { parts_per_row: perRow, devices_per_column: perColumn, columns, rows, counts } = map;
  const nameOfColumn = (column: number) => {
    const first = map.first_device + column * perColumn;
    const last = Math.min(whole.devices, first + perColumn) - 1;
    return last > first ? `${nameOf(first)} to ${nameOf(last)}` : nameOf(first);
  };
  const firstOf = (row: number) => map.first_part + row * perRow;
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

function replicasText(count: number) {
  return count === 1 ? '1 replica' : `${plain(count)} replicas`;
}

/** @param plot `wide`: the pixels of a device */
function columnLabels(
  view: View,
  nameOf: (place: number) => string,
  { left, wide, y }: { left: number; wide: number; y: number },
) {
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
 * @param distance the least one
 */
function marks(from: number, count: number, distance: number) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(distance)));
  const first = Math.ceil(from / step);
  const length = Math.max(0, Math.ceil((from + count) / step) - first);
  return Array.from({ length }, (_, at) => (first + at) * step);
}
