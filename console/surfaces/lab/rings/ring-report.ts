import { presentDevices, type Device } from '../../../../src/ring/device.js';
import { evenReplicas, planReplicas } from '../../../../src/ring/replica-plan.js';
import { RingBuildError } from '../../../../src/ring/ring-error.js';
import { replicaCount, type RingData } from '../../../../src/ring/ring-data.js';
import { deviceBalances, ringBalance, ringDispersion } from '../../../../src/ring/ring-health.js';
import { tierName, tierTree } from '../../../../src/ring/tier-tree.js';

/** A device as the Lab shows it. */
export interface DeviceRow {
  readonly id: number;
  readonly region: number;
  readonly zone: number;
  readonly ip: string;
  readonly port: number;
  readonly device: string;
  readonly weight: number;
  readonly meta: string;
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

/** How many part-replicas of a range of partitions lie on each device. */
export interface HeatMap {
  /** The partitions of one row. */
  readonly parts_per_row: number;
  /** The devices of the columns, by id, in the order of their failure domains. */
  readonly device_ids: readonly number[];
  readonly rows: readonly (readonly number[])[];
}

/** What there is to say about one ring. */
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
  readonly heat_map: HeatMap;
}

/** Rows of tiers that are sent; a large cluster has thousands of devices, which are rows of their own. */
const TIERS_MAX = 2000;
const HEAT_CELLS_MAX = 65_536;
const HEAT_ROWS_MAX = 256;

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
    heat_map: heatMap(ring),
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

function heatMap(ring: RingData): HeatMap {
  const devices = presentDevices(ring.devices).sort(byDomain);
  const parts = 2 ** ring.partPower;
  const wantedRows = Math.min(
    HEAT_ROWS_MAX,
    parts,
    Math.max(1, Math.floor(HEAT_CELLS_MAX / Math.max(1, devices.length))),
  );
  // A power of two, so that all rows have as many partitions.
  const rowCount = 2 ** Math.floor(Math.log2(wantedRows));
  const partsPerRow = parts / rowCount;
  const columnOf = new Int32Array(ring.devices.length).fill(-1);
  for (const [column, { id }] of devices.entries()) columnOf[id] = column;
  const rows = Array.from({ length: rowCount }, () => new Uint32Array(devices.length));
  for (const row of ring.rows) {
    for (let part = 0; part < row.length; part++) {
      const column = columnOf[row[part] ?? 0] ?? -1;
      const cells = rows[Math.floor(part / partsPerRow)];
      if (cells !== undefined && column !== -1) cells[column] = (cells[column] ?? 0) + 1;
    }
  }
  return {
    parts_per_row: partsPerRow,
    device_ids: devices.map(({ id }) => id),
    rows: rows.map((cells) => [...cells]),
  };
}

function byDomain(a: Device, b: Device): number {
  return a.region - b.region || a.zone - b.zone || a.ip.localeCompare(b.ip, 'en') || a.id - b.id;
}
