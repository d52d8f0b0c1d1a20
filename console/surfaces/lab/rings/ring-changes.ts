import { presentDevices, type Device, type Devices } from '../../../../src/ring/device.js';
import { rebalance, ringOf } from '../../../../src/ring/builder/rebalance.js';
import {
  builderFromRing,
  changeBuilder,
  type BuilderChange,
} from '../../../../src/ring/builder/state.js';
import { replicaCount, type RingData } from '../../../../src/ring/ring-data.js';
import { RingBuildError } from '../../../../src/ring/ring-error.js';
import { deviceBalances, ringBalance, ringDispersion } from '../../../../src/ring/ring-health.js';
import { requiredOverload } from './ring-report.js';

/** A change to try. */
export type WhatIfChange =
  | { readonly kind: 'set_weight'; readonly id: number; readonly weight: number }
  | { readonly kind: 'remove'; readonly id: number }
  | ({ readonly kind: 'add' } & Pick<
      Device,
      'region' | 'zone' | 'ip' | 'port' | 'device' | 'weight'
    >);

export interface WhatIf {
  readonly changes: readonly WhatIfChange[];
  /** A fraction. */
  readonly overload: number;
  readonly seed: number;
}

/** The quality of a ring. */
export interface RingQuality {
  readonly balance_pct: number;
  readonly dispersion_pct: number;
  readonly required_overload: number | null;
}

/** The effect of a change on a device. */
export interface DeviceChange {
  readonly id: number;
  readonly name: string;
  readonly weight_before: number | null;
  readonly weight_after: number | null;
  readonly parts_before: number;
  readonly parts_after: number;
  readonly balance_before_pct: number | null;
  readonly balance_after_pct: number | null;
}

/** The effect of a change, by the project's own builder. */
export interface WhatIfReport {
  /** Part-replicas whose data would be copied. */
  readonly moved: number;
  readonly moved_ratio: number;
  readonly before: RingQuality;
  readonly after: RingQuality;
  readonly devices: readonly DeviceChange[];
}

/** The differences between the placement of two rings. */
export interface RingComparison extends WhatIfReport {
  /** Part-replicas that lie on a device of the second ring, and not of the first. */
  readonly moved: number;
  /** Partitions of which none, one, two, … replicas lie elsewhere. */
  readonly parts_by_moved: readonly number[];
}

/**
 * The effect of a rebalance after these changes. As a ring file does not tell when partitions last
 * moved, any of them may, as after `pretend_min_part_hours_passed`.
 * @throws RingBuildError for a change that cannot be
 */
export function whatIf(ring: RingData, { changes, overload, seed }: WhatIf): WhatIfReport {
  const before = builderFromRing(ring, { minPartHours: 0, overload });
  const changed = changeBuilder(before, changes.map(builderChange));
  const { state, moved } = rebalance(changed, { seed, nowS: 0 });
  const after = ringOf(state);
  return {
    moved,
    moved_ratio: moved / slots(ring),
    before: qualityOf(ring),
    after: qualityOf(after),
    devices: deviceChanges(ring, after, (device) => String(device.id)),
  };
}

/**
 * Compares what lies where. Devices are the same where address, port and name are, whatever their
 * ids.
 * @throws RingBuildError for rings with different numbers of partitions
 */
export function compareRings(first: RingData, second: RingData): RingComparison {
  if (first.partPower !== second.partPower) {
    throw new RingBuildError(
      `rings of part power ${first.partPower} and ${second.partPower} have no partition in common`,
    );
  }
  const numbers = new Map<string, number>();
  const firstPlaces = placeNumbers(first.devices, numbers);
  const secondPlaces = placeNumbers(second.devices, numbers);
  const held = new Uint32Array(numbers.size);
  const partsByMoved = Array.from({ length: second.rows.length + 1 }, () => 0);
  let moved = 0;
  for (let part = 0; part < 2 ** first.partPower; part++) {
    let movedHere = 0;
    // One more than the partition: so that nothing has to be cleared between partitions.
    for (const row of first.rows) {
      const place = placeAt(row, part, firstPlaces);
      if (place !== -1) held[place] = part + 1;
    }
    for (const row of second.rows) {
      const place = placeAt(row, part, secondPlaces);
      if (place !== -1 && held[place] !== part + 1) movedHere++;
    }
    partsByMoved[movedHere] = (partsByMoved[movedHere] ?? 0) + 1;
    moved += movedHere;
  }
  return {
    moved,
    moved_ratio: moved / slots(second),
    parts_by_moved: partsByMoved,
    before: qualityOf(first),
    after: qualityOf(second),
    devices: deviceChanges(first, second, nameOf),
  };
}

function builderChange(change: WhatIfChange): BuilderChange {
  switch (change.kind) {
    case 'set_weight':
      return { kind: 'set', id: change.id, to: { weight: change.weight } };
    case 'remove':
      return { kind: 'remove', id: change.id };
    case 'add': {
      const { region, zone, ip, port, device, weight } = change;
      const replication = { replicationIp: ip, replicationPort: port };
      return {
        kind: 'add',
        device: { region, zone, ip, port, device, weight, meta: '', ...replication },
      };
    }
  }
}

function qualityOf(ring: RingData): RingQuality {
  return {
    balance_pct: ringBalance(ring),
    dispersion_pct: ringDispersion(ring).dispersion,
    required_overload: requiredOverload(ring),
  };
}

function slots(ring: RingData): number {
  return 2 ** ring.partPower * replicaCount(ring.rows);
}

/** `10.0.0.1:6200/sdb1`; an IPv6 address is in brackets. */
function nameOf({ ip, port, device }: Device): string {
  return `${ip.includes(':') ? `[${ip}]` : ip}:${port}/${device}`;
}

function placeNumbers(devices: Devices, numbers: Map<string, number>): Int32Array {
  const places = new Int32Array(devices.length).fill(-1);
  for (const device of presentDevices(devices)) {
    const name = nameOf(device);
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    places[device.id] = number;
  }
  return places;
}

function placeAt(row: ArrayLike<number>, part: number, places: Int32Array): number {
  const id = row[part];
  return id === undefined ? -1 : (places[id] ?? -1);
}

function deviceChanges(
  first: RingData,
  second: RingData,
  keyOf: (device: Device) => string,
): DeviceChange[] {
  const [before, after] = [first, second].map((ring) => {
    const balances = new Map(deviceBalances(ring).map((one) => [one.id, one]));
    return new Map(
      presentDevices(ring.devices).map((device) => [
        keyOf(device),
        { device, balance: balances.get(device.id) },
      ]),
    );
  });
  const keys = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
  return [...keys].map((key) => {
    const [old, now] = [before?.get(key), after?.get(key)];
    const device = (now ?? old)?.device;
    return {
      id: device?.id ?? -1,
      name: device === undefined ? key : nameOf(device),
      weight_before: old?.device.weight ?? null,
      weight_after: now?.device.weight ?? null,
      parts_before: old?.balance?.parts ?? 0,
      parts_after: now?.balance?.parts ?? 0,
      balance_before_pct: old?.balance?.balance ?? null,
      balance_after_pct: now?.balance?.balance ?? null,
    };
  });
}
