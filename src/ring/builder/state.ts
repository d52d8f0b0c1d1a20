import { deviceJson, parseDevice, type Device, type Devices } from '../device.js';
import { replicaCount, type RingData } from '../ring-data.js';
import { RingBuildError, RingFileError } from '../ring-error.js';

/** A slot that is on no device: Swift's NONE_DEV. */
export const NOWHERE = 0xffff;
/** Ring files of format 1 have two bytes for an id, one of which means {@link NOWHERE}. */
export const DEVICE_ID_MAX = NOWHERE - 1;
/** A partition that moved as long ago as this, or longer, is no different from others. */
export const HOURS_MAX = 0xff;
const PART_POWER_MAX = 24;
const REPLICAS_MAX = 1024;

/**
 * The source of a ring: the ring itself, and the facts kept from one rebalance to the next. Never
 * changed; {@link changeBuilder} and `rebalance` make new ones.
 */
export interface BuilderState {
  readonly partPower: number;
  readonly nextPartPower: number | undefined;
  /** At least 1; may be a fraction. */
  readonly replicas: number;
  /** A partition moves at most once in so many hours. */
  readonly minPartHours: number;
  /** A fraction by which devices may have more than by their weight, for replicas further apart. */
  readonly overload: number;
  /** Grows with each change. */
  readonly version: number;
  readonly devices: Devices;
  /** Ids of devices that the next rebalance takes out. */
  readonly removed: readonly number[];
  /** One for each replica, with a device id for each partition; none before the first rebalance. */
  readonly rows: readonly Uint16Array[];
  /** By partition: hours from its last move to `countedAtS`, at most {@link HOURS_MAX}. */
  readonly hoursSinceMove: Uint8Array;
  /** Seconds since 1970. */
  readonly countedAtS: number;
  /** The partition at which the last rebalance began to look for moves. */
  readonly gatherStart: number;
}

/** A device to add; without an id, it has the first that is free. */
export type NewDevice = Omit<Device, 'id'> & { readonly id?: number };

/** One change of a builder, each of which the next rebalance carries out. */
export type BuilderChange =
  | { readonly kind: 'add'; readonly device: NewDevice }
  /** Its partitions go to others at once, whenever they last moved. */
  | { readonly kind: 'remove'; readonly id: number }
  | { readonly kind: 'set'; readonly id: number; readonly to: Partial<Omit<Device, 'id'>> }
  | { readonly kind: 'replicas'; readonly replicas: number }
  | { readonly kind: 'overload'; readonly overload: number }
  | { readonly kind: 'min_part_hours'; readonly hours: number }
  /** Any partition may move: Swift's pretend_min_part_hours_passed. */
  | { readonly kind: 'forget_moves' };

export interface BuilderOptions {
  readonly partPower: number;
  readonly replicas: number;
  readonly minPartHours: number;
  readonly overload?: number;
}

/**
 * A builder without devices.
 *
 * @throws RingBuildError
 */
export function newBuilder(options: BuilderOptions): BuilderState {
  const { partPower, replicas, minPartHours, overload = 0 } = options;
  need(
    Number.isInteger(partPower) && partPower >= 0 && partPower <= PART_POWER_MAX,
    `the part power is a whole number from 0 to ${PART_POWER_MAX}, not ${partPower}`,
  );
  const empty: BuilderState = {
    partPower,
    nextPartPower: undefined,
    replicas: 1,
    minPartHours: 0,
    overload: 0,
    version: 0,
    devices: [],
    removed: [],
    rows: [],
    hoursSinceMove: new Uint8Array(2 ** partPower),
    countedAtS: 0,
    gatherStart: 0,
  };
  const changes: BuilderChange[] = [
    { kind: 'replicas', replicas },
    { kind: 'min_part_hours', hours: minPartHours },
    { kind: 'overload', overload },
  ];
  return { ...changeBuilder(empty, changes), version: 0 };
}

/**
 * A builder for a ring that exists. Like `swift-ring-builder … write_builder`, it does not know
 * when partitions last moved, and treats them as movable.
 *
 * @throws RingBuildError for a ring with more devices than format 1 has
 */
export function builderFromRing(
  ring: RingData,
  options: Pick<BuilderOptions, 'minPartHours' | 'overload'>,
): BuilderState {
  need(
    ring.devices.length <= DEVICE_ID_MAX + 1,
    `a ring to build has device ids up to ${DEVICE_ID_MAX}`,
  );
  const { partPower, nextPartPower, devices, version = 0 } = ring;
  const replicas = replicaCount(ring.rows);
  return {
    ...newBuilder({ ...options, partPower, replicas }),
    nextPartPower,
    version,
    devices,
    rows: ring.rows.map((row) => new Uint16Array(row)),
  };
}

/**
 * @throws RingBuildError for a change that cannot be; then none is made
 */
export function changeBuilder(
  state: BuilderState,
  changes: readonly BuilderChange[],
): BuilderState {
  return changes.reduce(
    (before, change) => ({ ...applied(before, change), version: before.version + 1 }),
    state,
  );
}

function applied(state: BuilderState, change: BuilderChange): BuilderState {
  switch (change.kind) {
    case 'add':
      return withDevice(state, change.device);
    case 'remove': {
      const device = presentDevice(state, change.id);
      return {
        ...withChanged(state, { ...device, weight: 0 }),
        removed: [...state.removed, device.id],
      };
    }
    case 'set':
      return withChanged(state, { ...presentDevice(state, change.id), ...change.to });
    case 'replicas': {
      const { replicas } = change;
      need(replicas >= 1 && replicas <= REPLICAS_MAX, `from 1 to ${REPLICAS_MAX} replicas can be`);
      return { ...state, replicas };
    }
    case 'overload':
      need(change.overload >= 0 && Number.isFinite(change.overload), 'the overload is at least 0');
      return { ...state, overload: change.overload };
    case 'min_part_hours':
      need(change.hours >= 0 && change.hours <= HOURS_MAX, `min_part_hours is 0 to ${HOURS_MAX}`);
      return { ...state, minPartHours: change.hours };
    case 'forget_moves':
      return {
        ...state,
        countedAtS: 0,
        hoursSinceMove: new Uint8Array(2 ** state.partPower).fill(HOURS_MAX),
      };
  }
}

function withDevice(state: BuilderState, added: NewDevice): BuilderState {
  const free = state.devices.indexOf(null);
  const id = added.id ?? (free === -1 ? state.devices.length : free);
  need(
    Number.isInteger(id) && id >= 0 && id <= DEVICE_ID_MAX,
    `a device id is from 0 to ${DEVICE_ID_MAX}, not ${id}`,
  );
  need((state.devices[id] ?? null) === null, `there is a device ${id} already`);
  return withChanged(state, { ...added, id });
}

function withChanged(state: BuilderState, changed: Device): BuilderState {
  const { id, ip, port, device: name } = changed;
  try {
    parseDevice(deviceJson(changed), id);
  } catch (error) {
    throw error instanceof RingFileError ? new RingBuildError(error.reason) : error;
  }
  // A ring that was imported may have devices of one place, and they may go.
  const before = state.devices[id];
  if (before?.ip !== ip || before.port !== port || before.device !== name) {
    const twin = state.devices.find(
      (other) => other?.ip === ip && other.port === port && other.device === name,
    );
    need(!twin, `device ${id} would be ${ip}:${port}/${name}, as device ${twin?.id} is`);
  }
  const devices = [...state.devices];
  while (devices.length < id) devices.push(null);
  devices[id] = changed;
  return { ...state, devices };
}

/** A device that is there, and to stay. */
function presentDevice(state: BuilderState, id: number): Device {
  const device = state.devices[id] ?? undefined;
  if (device === undefined) throw new RingBuildError(`there is no device ${id}`);
  need(!state.removed.includes(id), `device ${id} is being removed`);
  return device;
}

function need(holds: boolean, otherwise: string): void {
  if (!holds) throw new RingBuildError(otherwise);
}
