import type { Ring } from '../../../../src/ring/ring.js';
import { evenReplicas } from '../../../../src/ring/replica-plan.js';
import { presentDevices, type Device } from '../../../../src/ring/device.js';
import { tierTree } from '../../../../src/ring/tier-tree.js';
import { memberCount, readNeed, writeQuorum, type Protection } from './storage-cost.js';

/** The state of a policy when one domain of a kind is away: the worst one. */
export interface Loss {
  /** How many domains of the kind have partitions, or would. */
  readonly domains: number;
  /** The most members of one partition that one of them holds. */
  readonly maxMembers: number;
  readonly readable: boolean;
  /** Whether a quorum of primaries is left; handoffs may take the rest as well. */
  readonly writable: boolean;
}

/** The losses of a policy with a zone, and with a server. */
export interface DomainLoss {
  readonly devices: number;
  readonly zone: Loss;
  readonly server: Loss;
}

/** A zone is one of its region, and a server one of its zone: as in the tree of failure domains. */
export const DOMAINS = {
  zone: { depth: 2, nameOf: ({ region, zone }: Device) => `${region}/${zone}` },
  server: { depth: 3, nameOf: ({ region, zone, ip }: Device) => `${region}/${zone}/${ip}` },
} as const;

/** Counts in the ring as it is. */
export function domainLossOf(ring: Ring, protection: Protection): DomainLoss {
  const used = presentDevices(ring.data.devices).filter(
    ({ id }) => (ring.data.partCounts[id] ?? 0) > 0,
  );
  const of = (kind: keyof typeof DOMAINS): Loss => {
    const { domains, most } = mostTogether(ring, used, DOMAINS[kind].nameOf);
    return lossOf(protection, domains, most);
  };
  return { devices: used.length, zone: of('zone'), server: of('server') };
}

/** Plans for a policy that has no ring: as far apart as the devices of another ring allow. */
export function plannedDomainLoss(ring: Ring, protection: Protection): DomainLoss {
  const tree = tierTree(ring.data.devices);
  const even = evenReplicas(tree, memberCount(protection));
  const of = (kind: keyof typeof DOMAINS): Loss => {
    const { depth } = DOMAINS[kind];
    const tiers = tree.tiers.filter((tier) => tier.depth === depth && tier.weightedDevices > 0);
    const most = Math.max(0, ...tiers.map(({ number }) => even[number] ?? 0));
    return lossOf(protection, tiers.length, most);
  };
  return {
    devices: tree.tiers[0]?.weightedDevices ?? 0,
    zone: of('zone'),
    server: of('server'),
  };
}

export interface NumberedDomains {
  /** The domain of each device, by its id. */
  readonly numbers: Int32Array;
  readonly count: number;
}

/** @param size - of the ring's list of devices */
export function numberDomains(
  size: number,
  devices: readonly Device[],
  nameOf: (device: Device) => string,
): NumberedDomains {
  const known = new Map<string, number>();
  const numbers = new Int32Array(size);
  for (const device of devices) {
    const name = nameOf(device);
    const number = known.get(name) ?? known.size;
    known.set(name, number);
    numbers[device.id] = number;
  }
  return { numbers, count: known.size };
}

/** The most members of any partition that lie in one domain, over all partitions. */
function mostTogether(
  { partitionCount, data: { devices, rows } }: Ring,
  used: readonly Device[],
  nameOf: (device: Device) => string,
): { readonly domains: number; readonly most: number } {
  const { numbers, count: domains } = numberDomains(devices.length, used, nameOf);
  // A domain's count is of the partition that it was last seen in: nothing is cleared between two.
  const held = new Uint16Array(domains);
  const seenIn = new Int32Array(domains).fill(-1);
  let most = 0;
  for (let part = 0; part < partitionCount; part++) {
    for (const row of rows) {
      const id = row[part];
      if (id === undefined) continue;
      const number = numbers[id] ?? 0;
      const count = seenIn[number] === part ? (held[number] ?? 0) + 1 : 1;
      seenIn[number] = part;
      held[number] = count;
      if (count > most) most = count;
    }
  }
  return { domains, most };
}

function lossOf(protection: Protection, domains: number, maxMembers: number): Loss {
  const left = Math.ceil(memberCount(protection)) - maxMembers;
  // With duplicates, the members that are left are this many different fragments at least.
  const copies = protection.kind === 'replication' ? 1 : protection.coding.duplicationFactor;
  return {
    domains,
    maxMembers,
    readable: Math.ceil(left / copies) >= readNeed(protection),
    writable: left >= writeQuorum(protection),
  };
}
