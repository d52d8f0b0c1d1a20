import type { Device } from '../../ring/device.js';
import type { BuilderChange, BuilderState, NewDevice } from '../../ring/builder/state.js';
import { devicesOfRing, roleOfRing, type NodeDevice } from '../spec/queries.js';
import type { Spec, SpecRing } from '../spec/schema.js';

/** The changes of one plan to a builder. */
export interface RingChanges {
  readonly changes: readonly BuilderChange[];
  /** Ids of devices that leave the ring, now or once they have no partitions. */
  readonly leaving: readonly number[];
}

/**
 * How devices that leave are taken out: `remove` at once, with all their partitions, or `drain`,
 * one replica of a partition at a time.
 */
export type LeaveBy = 'remove' | 'drain';

/**
 * The changes that lead a builder towards the specification: all attributes at once, weights in the
 * steps of `rollout.weight_step_pct`.
 *
 * @param counts part-replicas by device id
 */
export function ringChanges(
  before: BuilderState,
  spec: Spec,
  ring: SpecRing,
  counts: ArrayLike<number>,
  leaveBy: LeaveBy,
): RingChanges {
  const wanted = devicesOfRing(spec.nodes, ring.name).map((each) => newDevice(each, ring.name));
  const steps = new WeightSteps(wanted, spec.rollout.weight_step_pct);
  const own = ownDevices(before, wanted);
  const changes = settingChanges(before, ring);
  for (const [place, device] of wanted.entries()) {
    const present = own[place];
    if (present === undefined) {
      const isFirst = before.rows.length === 0;
      const weight = isFirst ? device.weight : steps.next(0, device.weight);
      changes.push({ kind: 'add', device: { ...device, weight } });
      continue;
    }
    const to = { ...device, weight: steps.next(present.weight, device.weight) };
    if (differs(present, to)) changes.push({ kind: 'set', id: present.id, to });
  }
  const kept = new Set(own.map((device) => device?.id));
  const leaving = before.devices.filter((device) => device !== null && !kept.has(device.id));
  for (const device of leaving) {
    if (device === null) continue;
    if (leaveBy === 'remove' || (counts[device.id] ?? 0) === 0) {
      changes.push({ kind: 'remove', id: device.id });
    } else {
      const weight = steps.next(device.weight, 0);
      if (weight !== device.weight) changes.push({ kind: 'set', id: device.id, to: { weight } });
    }
  }
  return {
    // Addresses that leaving devices have may be those of new ones.
    changes: changes.sort((a, b) => ORDER[a.kind] - ORDER[b.kind]),
    leaving: leaving.flatMap((device) => (device === null ? [] : [device.id])),
  };
}

const ORDER: Readonly<Record<BuilderChange['kind'], number>> = {
  replicas: 0,
  overload: 0,
  min_part_hours: 0,
  forget_moves: 0,
  remove: 1,
  set: 2,
  add: 3,
};

/** Steps of weights towards those that are wanted. */
class WeightSteps {
  /** The part of a weight that one plan may change. */
  readonly #share: number;
  readonly #largest: number;

  constructor(wanted: readonly NewDevice[], stepPct: number) {
    this.#share = stepPct / 100;
    this.#largest = wanted.reduce((largest, { weight }) => Math.max(largest, weight), 0);
  }

  /** A device that is to have none is measured by the largest weight of the ring. */
  next(from: number, to: number): number {
    const step = this.#share * (to > 0 ? to : this.#largest);
    if (this.#share === 1 || Math.abs(to - from) <= step) return to;
    return from < to ? from + step : from - step;
  }
}

function settingChanges(before: BuilderState, ring: SpecRing): BuilderChange[] {
  const changes: BuilderChange[] = [];
  const { replicas, overload, min_part_hours: hours } = ring;
  if (before.replicas !== replicas) changes.push({ kind: 'replicas', replicas });
  if (before.overload !== overload) changes.push({ kind: 'overload', overload });
  if (before.minPartHours !== hours) changes.push({ kind: 'min_part_hours', hours });
  return changes;
}

/** The device as a ring has it; its description is the node's name, by which it is found again. */
export function newDevice({ node, device }: NodeDevice, ring: string): NewDevice {
  const port = node.ports[roleOfRing(ring)];
  return {
    region: node.region,
    zone: node.zone,
    ip: node.storage_ip,
    port,
    replicationIp: node.replication_ip ?? node.storage_ip,
    replicationPort: port,
    device: device.name,
    weight: device.weight,
    meta: node.name,
  };
}

/** The devices of the ring that are the wanted ones, by node and name; in an imported ring, by address. */
export function ownDevices(
  { devices }: BuilderState,
  wanted: readonly NewDevice[],
): (Device | undefined)[] {
  const byNode = new Map<string, Device>();
  const byAddress = new Map<string, Device>();
  for (const device of devices) {
    if (device === null) continue;
    byNode.set(`${device.meta}/${device.device}`, device);
    byAddress.set(addressOf(device), device);
  }
  const named = wanted.map((device) => byNode.get(`${device.meta}/${device.device}`));
  // A new node may have the address that another one leaves: it is another device all the same.
  for (const device of named) if (device !== undefined) byAddress.delete(addressOf(device));
  return wanted.map((device, at) => named[at] ?? byAddress.get(addressOf(device)));
}

function addressOf({ ip, port, device }: Omit<NewDevice, 'id'>): string {
  return `${ip}:${port}/${device}`;
}

const COMPARED = [
  'region',
  'zone',
  'ip',
  'port',
  'replicationIp',
  'replicationPort',
  'device',
  'weight',
  'meta',
] as const satisfies readonly (keyof Device)[];

function differs(device: Device, to: NewDevice): boolean {
  return COMPARED.some((key) => device[key] !== to[key]);
}
