import type { Device, Devices } from './device.js';

/** The device of each partition, for one replica. */
export type Row = Uint16Array | Uint32Array;

/** The contents of a ring file. */
export interface RingData {
  /** Version of the file's format. */
  readonly format: 1 | 2;
  /** There are 2 ** partPower partitions. */
  readonly partPower: number;
  /**
   * While the part power is being raised: `partPower + 1` before the new ring is in place,
   * `partPower` until the old locations are cleaned up.
   */
  readonly nextPartPower: number | undefined;
  /** How often the ring was changed; undefined in files of Swift before 2.24. */
  readonly version: number | undefined;
  readonly devices: Devices;
  /**
   * One for each replica. All have one device id for each partition, but the last, which has fewer
   * where the number of replicas is no whole one.
   */
  readonly rows: readonly Row[];
  /** How many part-replicas each device has, by id. */
  readonly partCounts: Uint32Array;
}

/** @returns the number of replicas, which need not be a whole one */
export function replicaCount(rows: readonly Row[]): number {
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return 0;
  return rows.length - 1 + last.length / first.length;
}

/** How many entries are looked at before others get a turn: about a third of a millisecond. */
const SLICE = 1 << 17;

/**
 * Counts the part-replicas of each device, in steps between which others may run.
 *
 * @param unknown - makes the error for an id that no device has
 */
export function* countParts(
  rows: readonly Row[],
  devices: readonly (Device | null)[],
  unknown: (id: number, replica: number, part: number) => Error,
): Generator<undefined, Uint32Array> {
  const counts = new Uint32Array(devices.length);
  const present = Uint8Array.from(devices, (device) => (device === null ? 0 : 1));
  for (const [replica, row] of rows.entries()) {
    for (let start = 0; start < row.length; start += SLICE) {
      const end = Math.min(start + SLICE, row.length);
      for (let part = start; part < end; part++) {
        const id = row[part] ?? 0;
        // An id beyond the end of the list is not present, either.
        if (present[id] !== 1) throw unknown(id, replica, part);
        counts[id] = (counts[id] ?? 0) + 1;
      }
      yield;
    }
  }
  return counts;
}
