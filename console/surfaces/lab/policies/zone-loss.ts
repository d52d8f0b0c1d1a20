import type { Ring } from '../../../../src/ring/ring.js';
import { evenReplicas } from '../../../../src/ring/replica-plan.js';
import { presentDevices } from '../../../../src/ring/device.js';
import { tierTree } from '../../../../src/ring/tier-tree.js';
import { memberCount, readNeed, writeQuorum, type Protection } from './storage-cost.js';

/** Depth of zones in the tree of failure domains: below the cluster and its regions. */
const ZONE_DEPTH = 2;

/** What is left of a policy when one zone is away: the worst zone. */
export interface ZoneLoss {
  readonly devices: number;
  readonly zones: number;
  /** The most members of one partition that one zone holds. */
  readonly maxMembersPerZone: number;
  readonly readable: boolean;
  /** Whether a quorum of primaries is left; handoffs may take the rest as well. */
  readonly writable: boolean;
}

/** Counts in the ring as it is. */
export function zoneLossOf(ring: Ring, protection: Protection): ZoneLoss {
  const { devices, rows, partCounts } = ring.data;
  const zoneNumbers = new Map<string, number>();
  const zoneOf = new Int32Array(devices.length);
  let inUse = 0;
  for (const { id, region, zone } of presentDevices(devices)) {
    if ((partCounts[id] ?? 0) === 0) continue;
    inUse++;
    const name = `${region}/${zone}`;
    const number = zoneNumbers.get(name) ?? zoneNumbers.size;
    zoneNumbers.set(name, number);
    zoneOf[id] = number;
  }
  const held = new Uint16Array(zoneNumbers.size);
  let most = 0;
  for (let part = 0; part < ring.partitionCount; part++) {
    held.fill(0);
    for (const row of rows) {
      const id = row[part];
      if (id === undefined) continue;
      const zone = zoneOf[id] ?? 0;
      const count = (held[zone] ?? 0) + 1;
      held[zone] = count;
      if (count > most) most = count;
    }
  }
  return lossOf(protection, inUse, zoneNumbers.size, most);
}

/** Plans for a policy that has no ring: as far apart as the devices of another ring allow. */
export function plannedZoneLoss(ring: Ring, protection: Protection): ZoneLoss {
  const tree = tierTree(ring.data.devices);
  const even = evenReplicas(tree, memberCount(protection));
  const zones = tree.tiers.filter((tier) => tier.depth === ZONE_DEPTH && tier.weightedDevices > 0);
  const most = Math.max(0, ...zones.map(({ number }) => even[number] ?? 0));
  return lossOf(protection, tree.tiers[0]?.weightedDevices ?? 0, zones.length, most);
}

function lossOf(
  protection: Protection,
  devices: number,
  zones: number,
  maxMembersPerZone: number,
): ZoneLoss {
  const left = Math.ceil(memberCount(protection)) - maxMembersPerZone;
  // With duplicates, the members that are left are this many different fragments at least.
  const copies = protection.kind === 'replication' ? 1 : protection.coding.duplicationFactor;
  return {
    devices,
    zones,
    maxMembersPerZone,
    readable: Math.ceil(left / copies) >= readNeed(protection),
    writable: left >= writeQuorum(protection),
  };
}
