import { presentDevices, type Devices } from './device.js';

/** Levels of the tree: 0 is the cluster, then regions, zones, servers, devices. */
export const DEVICE_DEPTH = 4;

/** The cluster, a region, a zone, a server or a device: what may fail as one. */
export interface Tier {
  /** Its place in {@link TierTree.tiers}. */
  readonly number: number;
  readonly depth: number;
  /** The path from the region on; empty for the cluster. A server is identified by its address. */
  readonly path: readonly (number | string)[];
  /** The children, in the order of their paths. */
  readonly children: readonly Tier[];
  /** The children with at least one weighted device. */
  readonly weightedChildren: readonly Tier[];
  /** How many devices in it have a weight. */
  readonly weightedDevices: number;
}

/** The failure domains of a ring. Swift plans with those in which a device has a weight. */
export interface TierTree {
  /** The first is the cluster; each comes before its children. */
  readonly tiers: readonly Tier[];
  /** By id of an existing device: the numbers of its region, zone, server and of its own tier. */
  readonly tiersOf: readonly Int32Array[];
}

interface GrowingTier {
  number: number;
  readonly depth: number;
  readonly path: readonly (number | string)[];
  readonly children: GrowingTier[];
  weightedChildren: readonly GrowingTier[];
  weightedDevices: number;
}

export function tierTree(devices: Devices): TierTree {
  const root = newTier([]);
  const byPath = new Map<string, GrowingTier>();
  const lineages: GrowingTier[][] = [];
  for (const { id, region, zone, ip, weight } of presentDevices(devices)) {
    const path = [region, zone, ip, id];
    let parent = root;
    const lineage: GrowingTier[] = [];
    for (let depth = 1; depth <= DEVICE_DEPTH; depth++) {
      const own = path.slice(0, depth);
      const key = own.join('/');
      let tier = byPath.get(key);
      if (tier === undefined) {
        tier = newTier(own);
        byPath.set(key, tier);
        parent.children.push(tier);
      }
      lineage.push(tier);
      parent = tier;
    }
    lineages[id] = lineage;
    if (weight > 0) for (const tier of [root, ...lineage]) tier.weightedDevices++;
  }
  const tiers: GrowingTier[] = [];
  finish(root, tiers);
  const tiersOf = lineages.map((lineage) => Int32Array.from(lineage, ({ number }) => number));
  return { tiers, tiersOf };
}

/**
 * The name of a tier in `swift-ring-builder FILE dispersion --verbose`: `r1`, `r1z2`,
 * `r1z2-10.0.0.1`, …
 */
export function tierName(tier: Tier, devices: Devices): string {
  const [region, zone, ip, id] = tier.path;
  const name = typeof id === 'number' ? (devices[id]?.device ?? `IDd${id}`) : '';
  return (
    ['', `r${region}`, `r${region}z${zone}`, `r${region}z${zone}-${ip}`].at(tier.depth) ??
    `r${region}z${zone}-${ip}/${name}`
  );
}

function newTier(path: readonly (number | string)[]): GrowingTier {
  return {
    number: -1,
    depth: path.length,
    path,
    children: [],
    weightedChildren: [],
    weightedDevices: 0,
  };
}

/** Numbers a tier and all below it. */
function finish(tier: GrowingTier, tiers: GrowingTier[]): void {
  tier.number = tiers.length;
  tiers.push(tier);
  tier.children.sort((a, b) => compare(a.path.at(-1) ?? 0, b.path.at(-1) ?? 0));
  tier.weightedChildren = tier.children.filter(({ weightedDevices }) => weightedDevices > 0);
  for (const child of tier.children) finish(child, tiers);
}

function compare(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
