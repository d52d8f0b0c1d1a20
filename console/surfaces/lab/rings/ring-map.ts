import { presentDevices, type Device } from '../../../../src/ring/device.js';
import type { RingData } from '../../../../src/ring/ring-data.js';

/** A rectangle of the plane of partitions × devices; devices by their place in {@link domainOrder}. */
export interface MapView {
  readonly first_part: number;
  readonly parts: number;
  readonly first_device: number;
  readonly devices: number;
}

/**
 * How many replicas lie in each cell of a view. A cell is so many partitions and devices that there
 * are no more cells than a screen shows, however large the ring.
 */
export interface RingMap {
  /** The first partition of the first row; rows begin at whole multiples of `parts_per_row`. */
  readonly first_part: number;
  readonly parts_per_row: number;
  readonly rows: number;
  readonly first_device: number;
  /** The last column may have fewer. */
  readonly devices_per_column: number;
  readonly columns: number;
  readonly least: number;
  readonly most: number;
  /** Bytes of a count, in little endian. */
  readonly cell_bytes: 1 | 2 | 4;
  /** The counts row by row, in Base64: a tenth of what JSON takes to write and to read. */
  readonly cells: string;
}

/** Rows and columns of a view, but for two more where it begins and ends within a cell. */
export const MAP_ROWS_MAX = 256;
export const MAP_COLUMNS_MAX = 512;

/** The ids of the devices in the order of their regions, zones and servers. */
export function domainOrder(devices: RingData['devices']): number[] {
  return presentDevices(devices)
    .sort(byDomain)
    .map(({ id }) => id);
}

function byDomain(a: Device, b: Device): number {
  return a.region - b.region || a.zone - b.zone || a.ip.localeCompare(b.ip, 'en') || a.id - b.id;
}

/**
 * Counts what a view shows; what of it is not in the ring is left out. Looks at each replica of the
 * view's partitions: not for an event loop.
 */
export function ringMap(ring: RingData, view: MapView): RingMap {
  const order = domainOrder(ring.devices);
  const down = cellsOf(view.first_part, view.parts, 2 ** ring.partPower, MAP_ROWS_MAX);
  const across = cellsOf(view.first_device, view.devices, order.length, MAP_COLUMNS_MAX);
  const columnOf = new Int32Array(ring.devices.length).fill(-1);
  for (let at = across.first; at < across.end; at++) {
    columnOf[order[at] ?? 0] = Math.floor((at - across.first) / across.size);
  }
  const counts = new Uint32Array(down.count * across.count);
  for (const row of ring.rows) {
    const end = Math.min(down.end, row.length);
    for (let part = down.first; part < end; part++) {
      const column = columnOf[row[part] ?? 0] ?? -1;
      if (column === -1) continue;
      const cell = Math.floor((part - down.first) / down.size) * across.count + column;
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  }
  let [least, most] = [counts[0] ?? 0, 0];
  for (const count of counts) {
    if (count < least) least = count;
    if (count > most) most = count;
  }
  const packed = most < 2 ** 8 ? Uint8Array : most < 2 ** 16 ? Uint16Array : Uint32Array;
  const cells = Buffer.from(packed.from(counts).buffer).toString('base64');
  return {
    ...{ first_part: down.first, parts_per_row: down.size, rows: down.count },
    ...{ first_device: across.first, devices_per_column: across.size, columns: across.count },
    ...{ least, most, cell_bytes: packed.BYTES_PER_ELEMENT as RingMap['cell_bytes'], cells },
  };
}

/**
 * Cells that cover a span. Their size is a power of two and they begin at its multiples, so that a
 * view that was moved has the same cells.
 */
function cellsOf(first: number, count: number, all: number, cellsMax: number) {
  const from = Math.min(first, Math.max(0, all - 1));
  const to = Math.min(all, from + count);
  // A view that begins within a cell is one longer, and has cells no larger for that.
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, (to - from - 1) / cellsMax)));
  const begin = Math.floor(from / size) * size;
  const end = Math.min(all, Math.ceil(to / size) * size);
  return { first: begin, end, size, count: Math.ceil((end - begin) / size) };
}
