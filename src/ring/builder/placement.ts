import { presentDevices, type Device, type Devices } from '../device.js';
import { PartTiers } from '../part-tiers.js';
import { planParts, planReplicas, type ReplicaPlan } from '../replica-plan.js';
import { tierTree, type TierTree } from '../tier-tree.js';
import { HOURS_MAX, NOWHERE, type BuilderState } from './state.js';

const SECONDS_IN_AN_HOUR = 3600;

/**
 * A ring while it is rebalanced: which slot is on which device, and what each device still wants.
 * A slot is one replica of one partition.
 */
export class Placement {
  readonly parts: number;
  readonly tree: TierTree;
  readonly plan: ReplicaPlan;
  /** One row for each replica, with {@link NOWHERE} in slots without a device. */
  readonly rows: readonly Uint16Array[];
  readonly devices: readonly Device[];
  /** By device id: the number of slots still to get, or, if less than 0, to give away. */
  readonly wanted: Float64Array;
  /** Counts the replicas of the partition that is looked at. */
  readonly tiers: PartTiers;
  readonly hoursSinceMove: Uint8Array;
  readonly countedAtS: number;

  /** Partitions with slots that have no device. */
  #gathered: number[] = [];
  readonly #isGathered: Uint8Array;
  /** Whether a partition has moved in this rebalance. */
  readonly #hasMoved: Uint8Array;
  readonly #minPartHours: number;

  constructor(state: BuilderState, nowS: number) {
    this.parts = 2 ** state.partPower;
    this.tree = tierTree(state.devices);
    this.tiers = new PartTiers(this.tree);
    this.devices = presentDevices(state.devices);
    this.#isGathered = new Uint8Array(this.parts);
    this.#hasMoved = new Uint8Array(this.parts);
    this.#minPartHours = state.minPartHours;
    const hours = Math.floor((nowS - state.countedAtS) / SECONDS_IN_AN_HOUR);
    this.hoursSinceMove = state.hoursSinceMove.map((before) =>
      Math.min(HOURS_MAX, before + Math.max(0, hours)),
    );
    this.countedAtS = hours > 0 ? Math.floor(nowS) : state.countedAtS;
    this.plan = planReplicas(this.tree, state.devices, state.replicas, state.overload);
    this.rows = this.#resizedRows(state);
    const planned = planParts(this.tree, this.plan, this.parts, state.replicas);
    this.wanted = wantedParts(state.devices, this.tree, planned, this.rows);
    for (const id of state.removed) this.#gatherAllOf(id);
  }

  /** Whether it may, after `min_part_hours`, and has not done so in this rebalance. */
  canMove(part: number): boolean {
    return (this.hoursSinceMove[part] ?? 0) >= this.#minPartHours && this.#hasMoved[part] === 0;
  }

  /** Takes a slot from its device. The counts of the partition that is looked at follow. */
  gather(part: number, row: Uint16Array): void {
    const id = row[part] ?? NOWHERE;
    this.tiers.add(id, -1);
    this.wanted[id] = (this.wanted[id] ?? 0) + 1;
    this.#take(part, row);
    this.#hasMoved[part] = 1;
    this.hoursSinceMove[part] = 0;
  }

  /** Gives a slot to a device. */
  place(part: number, row: Uint16Array, id: number): void {
    this.tiers.add(id, 1);
    this.wanted[id] = (this.wanted[id] ?? 0) - 1;
    row[part] = id;
    this.hoursSinceMove[part] = 0;
  }

  /** @returns the partitions with slots that have no device, for which the caller finds some now */
  takeGathered(): number[] {
    const gathered = this.#gathered;
    for (const part of gathered) this.#isGathered[part] = 0;
    this.#gathered = [];
    return gathered;
  }

  #gatherAllOf(id: number): void {
    for (const row of this.rows) {
      for (let part = row.indexOf(id); part !== -1; part = row.indexOf(id, part + 1)) {
        this.#take(part, row);
        this.#hasMoved[part] = 1;
        this.hoursSinceMove[part] = 0;
      }
    }
  }

  #take(part: number, row: Uint16Array): void {
    row[part] = NOWHERE;
    if (this.#isGathered[part] === 1) return;
    this.#isGathered[part] = 1;
    this.#gathered.push(part);
  }

  /** The rows, resized to the number of replicas. */
  #resizedRows({ replicas, rows }: BuilderState): Uint16Array[] {
    const whole = Math.floor(replicas);
    const lengths = new Array<number>(whole).fill(this.parts);
    if (replicas > whole) lengths.push(Math.floor(this.parts * (replicas - whole)));
    return lengths.map((length, replica) => {
      const before = rows[replica]?.subarray(0, length) ?? new Uint16Array(0);
      const row = new Uint16Array(length);
      row.set(before);
      for (let part = before.length; part < length; part++) this.#take(part, row);
      return row;
    });
  }
}

/**
 * By device id, the partitions still to get. A device without a weight is to give away more than it
 * can have.
 */
function wantedParts(
  devices: Devices,
  tree: TierTree,
  planned: Float64Array,
  rows: readonly Uint16Array[],
): Float64Array {
  const wanted = new Float64Array(devices.length);
  const slots = rows.reduce((sum, row) => sum + row.length, 0);
  for (const { id, weight } of presentDevices(devices)) {
    const own = tree.tiersOf[id]?.at(-1) ?? 0;
    wanted[id] = weight > 0 ? (planned[own] ?? 0) : -slots;
  }
  for (const row of rows) {
    for (const id of row) {
      if (id !== NOWHERE) wanted[id] = (wanted[id] ?? 0) - 1;
    }
  }
  return wanted;
}
