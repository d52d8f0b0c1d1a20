import { presentDevices, type Devices } from './device.js';
import { replicaCount, type RingData, type Row } from './ring-data.js';
import { evenReplicas } from './replica-plan.js';
import { tierTree, type Tier, type TierTree } from './tier-tree.js';

/** The balance of a device without a weight that still has partitions: Swift's MAX_BALANCE. */
export const BALANCE_MAX = 999.99;

/** What a device has, and what it would have by its weight. */
export interface DeviceBalance {
  readonly id: number;
  /** Part-replicas that it has. */
  readonly parts: number;
  /** Part-replicas by its weight; need not be a whole number. */
  readonly share: number;
  /** By how many per cent it has more, or less, than its share. */
  readonly balance: number;
}

/** What is needed of a ring, or of a builder. */
export interface Assignment {
  readonly partPower: number;
  readonly devices: Devices;
  readonly rows: readonly Row[];
  /** Of part-replicas, by device id. */
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
  /** By tier, without the cluster; only those that have partitions. */
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
 * As Swift counts: where the number of replicas is no whole one, only the partitions that the last
 * row has are looked at, and all others count as if they were nowhere.
 */
export function ringDispersion(ring: RingData | Assignment): Dispersion {
  const { devices, rows, partPower } = ring;
  const tree = tierTree(devices);
  const replicas = replicasOf(ring);
  const even = evenReplicas(tree, replicas);
  const parts = 2 ** partPower;
  const width = rows.length + 1;
  const histograms = new Float64Array(tree.tiers.length * width);
  const counter = new TierCounter(tree);
  let atRisk = 0;
  const whole = rows.at(-1)?.length ?? 0;
  for (let part = 0; part < whole; part++) {
    counter.count(rows, part);
    atRisk += counter.takeRisk(even, histograms, width);
  }
  const tiers = tree.tiers.slice(1).map((tier) => {
    const from = tier.number * width;
    const histogram = [...histograms.subarray(from, from + width)];
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
    dispersion: (100 * atRisk) / (parts * replicas),
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

/** Counts the replicas of one partition in each tier. */
class TierCounter {
  readonly #counts: Uint16Array;
  readonly #touched: number[] = [];
  /** By depth. */
  readonly #risks = new Float64Array(5);

  constructor(private readonly tree: TierTree) {
    this.#counts = new Uint16Array(tree.tiers.length);
  }

  count(rows: readonly Row[], part: number): void {
    for (const row of rows) {
      const id = row[part];
      if (id === undefined) continue;
      for (const number of this.tree.tiersOf[id] ?? []) {
        const before = this.#counts[number] ?? 0;
        if (before === 0) this.#touched.push(number);
        this.#counts[number] = before + 1;
      }
    }
  }

  /**
   * Adds the counts to the histograms, and begins anew.
   *
   * @returns the replicas that are too many on the level where they are most
   */
  takeRisk(even: Float64Array, histograms: Float64Array, width: number): number {
    this.#risks.fill(0);
    for (const number of this.#touched) {
      const held = this.#counts[number] ?? 0;
      this.#counts[number] = 0;
      const place = number * width + held;
      histograms[place] = (histograms[place] ?? 0) + 1;
      const surplus = held - (even[number] ?? 0);
      const depth = this.tree.tiers[number]?.depth ?? 0;
      if (surplus > 0) this.#risks[depth] = (this.#risks[depth] ?? 0) + surplus;
    }
    this.#touched.length = 0;
    return Math.max(...this.#risks);
  }
}

function replicasOf(ring: RingData | Assignment): number {
  return ('replicas' in ring ? ring.replicas : undefined) ?? replicaCount(ring.rows);
}
