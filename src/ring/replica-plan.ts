import { presentDevices, type Devices } from './device.js';
import { RingBuildError } from './ring-error.js';
import { DEVICE_DEPTH, type Tier, type TierTree } from './tier-tree.js';

/**
 * How many replicas of a partition each tier is to have, on average: numbers by tier, as Swift's
 * builder plans them (swift/common/ring/builder.py). A tier without weighted devices has 0.
 */
export interface ReplicaPlan {
  /** Replicas by the weights alone; no device can have more than one replica of a partition. */
  readonly weighted: Float64Array;
  /** Replicas by the weights, as far apart as the tree allows. */
  readonly wanted: Float64Array;
  /** Between the two, as far from `weighted` as the overload allows. */
  readonly target: Float64Array;
  /** A tier has from `min` to `max` replicas of every partition: `target`, rounded down and up. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** The overload with which `target` is `wanted`: a fraction, 0.1 for ten per cent. */
  readonly requiredOverload: number;
}

/** A smaller difference is nothing: rounding of sums. */
const EPSILON = 1e-10;
/** Sharing ends after a few rounds, in all but contrived trees. */
const ROUNDS_MAX = 10_000;

/**
 * @param replicas - need not be a whole number
 * @param overload - a fraction by which a device may have more than by its weight
 * @throws RingBuildError where the weighted devices are fewer than the replicas
 */
export function planReplicas(
  tree: TierTree,
  devices: Devices,
  replicas: number,
  overload: number,
): ReplicaPlan {
  const weighted = weightedReplicas(tree, devices, replicas);
  const wanted = wantedReplicas(tree, weighted, replicas);
  let requiredOverload = 0;
  for (const tier of tree.tiers) {
    if (tier.depth !== DEVICE_DEPTH || tier.weightedDevices === 0) continue;
    const share = valueAt(weighted, tier);
    requiredOverload = Math.max(requiredOverload, (valueAt(wanted, tier) - share) / share);
  }
  const used = Math.min(overload, requiredOverload);
  const target = wanted.map((value, number) => {
    if (requiredOverload === 0) return value;
    const share = weighted[number] ?? 0;
    return ((value - share) / requiredOverload) * used + share;
  });
  return {
    weighted,
    wanted,
    target,
    min: target.map((value) => Math.floor(value + EPSILON)),
    max: target.map((value) => Math.ceil(value - EPSILON)),
    requiredOverload,
  };
}

/**
 * The most replicas of a partition that each tier has where they lie as far apart as possible,
 * whatever the weights.
 *
 * @param round - what a share that is no whole number becomes on each level
 */
export function evenReplicas(
  tree: TierTree,
  replicas: number,
  round: (share: number) => number = Math.ceil,
): Float64Array {
  const even = new Float64Array(tree.tiers.length);
  const place = (tier: Tier, share: number): void => {
    const own = tier.depth === DEVICE_DEPTH ? Math.min(1, share) : share;
    even[tier.number] = own;
    for (const child of tier.weightedChildren) {
      place(child, round(own / tier.weightedChildren.length));
    }
  };
  place(rootOf(tree), replicas);
  return even;
}

/** The surplus of a device that has a replica of each partition goes to the others. */
function weightedReplicas(tree: TierTree, devices: Devices, replicas: number): Float64Array {
  const present = presentDevices(devices).filter(({ weight }) => weight > 0);
  if (present.length < replicas) {
    throw new RingBuildError(
      `${replicas} replicas need as many devices with a weight; there are ${present.length}`,
    );
  }
  const total = sum(present.map(({ weight }) => weight));
  const shares = present.map(({ weight }) => Math.min(1, weight * (replicas / total)));
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
    const left = replicas - sum(shares);
    if (left < EPSILON) break;
    const growth = 1 + left / sum(shares.filter((share) => share < 1));
    for (const [index, share] of shares.entries()) {
      if (share < 1) shares[index] = Math.min(1, share * growth);
    }
  }
  const weighted = new Float64Array(tree.tiers.length);
  for (const [index, { id }] of present.entries()) {
    const share = shares[index] ?? 0;
    for (const number of [0, ...(tree.tiersOf[id] ?? [])]) {
      weighted[number] = (weighted[number] ?? 0) + share;
    }
  }
  return weighted;
}

function wantedReplicas(tree: TierTree, weighted: Float64Array, replicas: number): Float64Array {
  const even = evenReplicas(tree, replicas, (share) => share);
  const wanted = new Float64Array(tree.tiers.length);
  const place = (tier: Tier, share: number): void => {
    wanted[tier.number] = share;
    const shares = shareOut(tier, share, weighted, even);
    for (const [index, child] of tier.weightedChildren.entries()) place(child, shares[index] ?? 0);
  };
  place(rootOf(tree), replicas);
  return wanted;
}

/** A child on the way to its share. */
interface Child {
  readonly weight: number;
  readonly devices: number;
  readonly min: number;
  readonly max: number;
  share: number;
}

/**
 * Shares the replicas of a tier among its children by weight, each between the rounded even shares.
 * If no child has room below its even share, children with more devices take more.
 */
function shareOut(
  tier: Tier,
  replicas: number,
  weighted: Float64Array,
  even: Float64Array,
): number[] {
  const children = tier.weightedChildren.map((child): Child => ({
    weight: valueAt(weighted, child),
    devices: child.weightedDevices,
    min: Math.floor(valueAt(even, child)),
    max: Math.ceil(valueAt(even, child)),
    share: 0,
  }));
  let open = children;
  let left = replicas;
  let mayExceed = false;
  for (let rounds = 0; Math.abs(left) > EPSILON && open.length > 0; rounds++) {
    if (rounds === ROUNDS_MAX) throw new RingBuildError('the weights cannot be shared out');
    const rate = left / sum(open.map(({ weight }) => weight));
    for (const child of open) {
      const { min, max, devices, weight } = child;
      let share = child.share + weight * rate;
      if (share < min) share = min;
      else if (share > max && !mayExceed) share = max;
      child.share = Math.min(share, devices);
    }
    left = replicas - sum(children.map(({ share }) => share));
    if (left < 0) {
      open = children.filter(({ share, min }) => share > min);
    } else {
      open = children.filter(({ share, max, devices }) => share < devices && share < max);
      if (open.length === 0) {
        mayExceed = true;
        open = children.filter(({ share, devices }) => share < devices);
      }
    }
  }
  if (children.length > 0 && Math.abs(left) > EPSILON) {
    throw new RingBuildError(
      `${tier.path.join('/')} cannot have ${replicas} replicas on ${tier.weightedDevices} devices`,
    );
  }
  return children.map(({ share }) => share);
}

function rootOf(tree: TierTree): Tier {
  const [root] = tree.tiers;
  if (root === undefined) throw new RingBuildError('there are no tiers');
  return root;
}

function valueAt(values: Float64Array, tier: Tier): number {
  return values[tier.number] ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * How many part-replicas each tier is to have: whole numbers that add up on every level, by tier.
 *
 * @param parts - partitions of the ring
 */
export function planParts(
  tree: TierTree,
  { target }: ReplicaPlan,
  parts: number,
  replicas: number,
): Float64Array {
  const planned = new Float64Array(tree.tiers.length);
  const place = (tier: Tier, own: number): void => {
    planned[tier.number] = own;
    const children = [...tier.weightedChildren];
    if (children.length === 0) return;
    let left = own;
    const shares = new Map<Tier, number>();
    for (const child of children) {
      const share = Math.min(left, Math.floor(valueAt(target, child) * parts));
      shares.set(child, share);
      left -= share;
    }
    // The rest that rounding leaves goes to those that have least, in turn.
    children.sort((a, b) => valueAt(target, a) - valueAt(target, b));
    for (let turn = 0; left > 0; turn++, left--) {
      const child = children[turn % children.length];
      if (child !== undefined) shares.set(child, (shares.get(child) ?? 0) + 1);
    }
    for (const [child, share] of shares) place(child, share);
  };
  place(rootOf(tree), Math.trunc(replicas * parts));
  return planned;
}
