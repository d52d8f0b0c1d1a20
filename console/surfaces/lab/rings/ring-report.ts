import { presentDevices, type Device } from '../../../../src/ring/device.js';
import { evenReplicas, planReplicas } from '../../../../src/ring/replica-plan.js';
import { RingBuildError } from '../../../../src/ring/ring-error.js';
import { replicaCount, type RingData } from '../../../../src/ring/ring-data.js';
import { deviceBalances, ringBalance, ringDispersion } from '../../../../src/ring/ring-health.js';
import { tierName, tierTree } from '../../../../src/ring/tier-tree.js';
import { domainOrder } from './ring-map.js';

/** A device as the Lab shows it. */
export interface DeviceRow extends Omit<Device, 'replicationIp' | 'replicationPort'> {
  /** Part-replicas that it has. */
  readonly parts: number;
  /** Part-replicas by its weight. */
  readonly wanted_parts: number;
  /** By how many per cent it has more, or less, than by its weight. */
  readonly balance_pct: number;
}

/** A failure domain, and how replicas lie in it. */
export interface TierRow {
  /** As `swift-ring-builder FILE dispersion --verbose` calls it. */
  readonly name: string;
  /** 1: region, 2: zone, 3: server, 4: device. */
  readonly depth: number;
  readonly max_replicas: number;
  /** How many partitions have 0, 1, 2, … replicas in it. */
  readonly histogram: readonly number[];
  readonly dispersion_pct: number;
}

/** The report on one ring. */
export interface RingReport {
  readonly part_power: number;
  readonly parts: number;
  readonly replicas: number;
  /** Not null while the part power is being raised. */
  readonly next_part_power: number | null;
  readonly balance_pct: number;
  readonly dispersion_pct: number;
  /** Null where there are fewer weighted devices than replicas. */
  readonly required_overload: number | null;
  readonly devices: readonly DeviceRow[];
  readonly tiers: readonly TierRow[];
  /** The ids of the devices by region, zone and server, as the map of the ring has its columns. */
  readonly device_order: readonly number[];
}

/** Rows of tiers that are sent; a large cluster has thousands of devices, which are rows of their own. */
const TIERS_MAX = 2000;

/** Numbers as `swift-ring-builder` shows them. Takes as long as the ring is large: not for a loop. */
export function ringReport(ring: RingData): RingReport {
  const { dispersion, tree, tiers } = ringDispersion(ring);
  return {
    part_power: ring.partPower,
    parts: 2 ** ring.partPower,
    replicas: replicaCount(ring.rows),
    next_part_power: ring.nextPartPower ?? null,
    balance_pct: ringBalance(ring),
    dispersion_pct: dispersion,
    required_overload: requiredOverload(ring),
    devices: deviceRows(ring),
    tiers: tiers
      .toSorted((a, b) => a.tier.depth - b.tier.depth || a.tier.number - b.tier.number)
      .slice(0, TIERS_MAX)
      .map(({ tier, maxReplicas, histogram, dispersion: tierDispersion }) => ({
        name: tierName(tier, tree.tiers.length > 0 ? ring.devices : []),
        depth: tier.depth,
        max_replicas: maxReplicas,
        histogram,
        dispersion_pct: tierDispersion,
      })),
    device_order: domainOrder(ring.devices),
  };
}

/** The devices with what they have, and what they would have by their weights. */
export function deviceRows(ring: RingData): DeviceRow[] {
  const balances = new Map(deviceBalances(ring).map((one) => [one.id, one]));
  return presentDevices(ring.devices).map((device) => {
    const { id, region, zone, ip, port, device: name, weight, meta } = device;
    const { parts = 0, share = 0, balance = 0 } = balances.get(id) ?? {};
    return {
      id,
      region,
      zone,
      ip,
      port,
      device: name,
      weight,
      meta,
      parts,
      wanted_parts: share,
      balance_pct: balance,
    };
  });
}

/** The overload with which the replicas lie as far apart as they can; a ring file does not say its own. */
export function requiredOverload(ring: RingData): number | null {
  const tree = tierTree(ring.devices);
  try {
    return planReplicas(tree, ring.devices, replicaCount(ring.rows), 0).requiredOverload;
  } catch (error) {
    if (error instanceof RingBuildError) return null;
    throw error;
  }
}

/** The most replicas of one partition that a zone needs to have. */
export function evenReplicasPerZone(ring: RingData): number {
  const tree = tierTree(ring.devices);
  const even = evenReplicas(tree, replicaCount(ring.rows));
  return Math.max(
    0,
    ...tree.tiers.filter(({ depth }) => depth === 2).map((t) => even[t.number] ?? 0),
  );
}
