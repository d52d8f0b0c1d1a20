import { presentDevices, type Devices } from './device.js';
import { PartTiers } from './part-tiers.js';
import { replicaCount, type RingData, type Row } from './ring-data.js';
import { evenReplicas } from './replica-plan.js';
import { DEVICE_DEPTH, tierTree, type Tier, type TierTree } from './tier-tree.js';

/** The balance of a device without a weight that still has partitions: Swift's MAX_BALANCE. */
export const BALANCE_MAX = 999.99;

/** The load of a device, and its share by its weight. */
export interface DeviceBalance {
  readonly id: number;
  /** Part-replicas that it has. */
  readonly parts: number;
  /** Part-replicas by its weight; need not be a whole number. */
  readonly share: number;
  /** By how many per cent the device has more, or less, than its share. */
  readonly balance: number;
}

/** The part of a ring, or of a builder, that its health is computed from. */
export interface Assignment {
  readonly partPower: number;
  readonly devices: Devices;
  readonly rows: readonly Row[];
  /** The number of part-replicas, by device id. */
  readonly partCounts: ArrayLike<number>;
  /** A builder's own number; a ring file has it only as precisely as its last row is long. */
  readonly replicas?: number;
}

/** The devices that are there, in the order of their ids; numbers as `swift-ring-builder` has them. */
export function deviceBalances(ring: RingData | Assignment): DeviceBalance[] {
  const present = presentDevices(ring.devices);
  const total = present.reduce((sum, { weight }) => sum + weight, 0);
  const partReplicas = 2 ** ring.partPower * replicasOf(ring);
  return present.map(({ id, weight }) => {
    const parts = ring.partCounts[id] ?? 0;
    if (weight === 0) return { id, parts, share: 0, balance: parts > 0 ? BALANCE_MAX : 0 };
    const share = weight * (partReplicas / total);
    return { id, parts, share, balance: (100 * parts) / share - 100 };
  });
}

/** The balance of the device that is furthest from its share: per cent, never negative. */
export function ringBalance(ring: RingData | Assignment): number {
  return deviceBalances(ring).reduce((worst, { balance }) => Math.max(worst, Math.abs(balance)), 0);
}

/** How far apart the replicas of partitions lie. */
export interface Dispersion {
  /**
   * Per cent of the part-replicas that lie closer together than they need to, as
   * `swift-ring-builder` shows it.
   */
  readonly dispersion: number;
  readonly tree: TierTree;
  /** The tiers that have partitions, without the cluster itself. */
  readonly tiers: readonly TierDispersion[];
}

export interface TierDispersion {
  readonly tier: Tier;
  /** The most replicas of a partition that need to be in it. */
  readonly maxReplicas: number;
  /** How many partitions have as many replicas in it as the place in the list says. */
  readonly histogram: readonly number[];
  /** Per cent of the part-replicas in it that are too many. */
  readonly dispersion: number;
}

/**
 * Counts like Swift: if the number of replicas is a fraction, only the partitions of the last row
 * are checked, and all others count as unassigned.
 */
export function ringDispersion(ring: RingData | Assignment): Dispersion {
  const { devices, rows, partPower } = ring;
  const tree = tierTree(devices);
  const replicas = replicasOf(ring);
  const even = evenReplicas(tree, replicas);
  const parts = 2 ** partPower;
  const count = new DispersionCount(tree, even, rows.length);
  const replicasIn = new PartTiers(tree);
  const whole = rows.at(-1)?.length ?? 0;
  for (let part = 0; part < whole; part++) {
    replicasIn.load(rows, part);
    count.add(replicasIn);
  }
  const tiers = tree.tiers.slice(1).map((tier) => {
    const histogram = count.histogram(tier);
    histogram[0] = parts - histogram.reduce((sum, count) => sum + count, 0);
    const maxReplicas = Math.trunc(even[tier.number] ?? 0);
    const placed = histogram.reduce((sum, count, held) => sum + count * held, 0);
    const surplus = histogram.reduce(
      (sum, count, held) => sum + count * Math.max(0, held - maxReplicas),
      0,
    );
    return { tier, maxReplicas, histogram, placed, dispersion: (100 * surplus) / placed };
  });
  return {
    dispersion: (100 * count.atRisk) / (parts * replicas),
    tree,
    tiers: tiers
      .filter(({ placed }) => placed > 0)
      .map(({ tier, maxReplicas, histogram, dispersion }) => ({
        tier,
        maxReplicas,
        histogram,
        dispersion,
      })),
  };
}

/** Adds up, over all partitions, how many replicas each tier has. */
class DispersionCount {
  readonly #width: number;
  readonly #histograms: Float64Array;
  /** The replicas at risk, by depth of the tier. */
  readonly #risks = new Float64Array(DEVICE_DEPTH + 1);
  atRisk = 0;

  constructor(
    private readonly tree: TierTree,
    private readonly even: Float64Array,
    replicas: number,
  ) {
    this.#width = replicas + 1;
    this.#histograms = new Float64Array(tree.tiers.length * this.#width);
  }

  /** A surplus counts once, on the level where it is largest. */
  add(replicasIn: PartTiers): void {
    this.#risks.fill(0);
    for (const number of replicasIn.touched()) {
      const held = replicasIn.of(number);
      const place = number * this.#width + held;
      this.#histograms[place] = (this.#histograms[place] ?? 0) + 1;
      const surplus = held - (this.even[number] ?? 0);
      const depth = this.tree.tiers[number]?.depth ?? 0;
      if (surplus > 0) this.#risks[depth] = (this.#risks[depth] ?? 0) + surplus;
    }
    this.atRisk += Math.max(...this.#risks);
  }

  histogram(tier: Tier): number[] {
    const from = tier.number * this.#width;
    return [...this.#histograms.subarray(from, from + this.#width)];
  }
}

function replicasOf(ring: RingData | Assignment): number {
  return ('replicas' in ring ? ring.replicas : undefined) ?? replicaCount(ring.rows);
}
