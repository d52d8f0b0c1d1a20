import type { Tier } from '../tier-tree.js';
import type { Placement } from './placement.js';
import { NOWHERE } from './state.js';

/**
 * Takes the slots that have to move because replicas of their partition lie closer together than
 * the plan lets them; one of each partition, those on the devices that want least first.
 */
export function gatherForDispersion(placement: Placement): void {
  const { parts, rows, tiers, plan, tree } = placement;
  for (let part = 0; part < parts; part++) {
    if (!placement.canMove(part)) continue;
    tiers.load(rows, part);
    const crowded = rowsOf(placement, part, (id) =>
      tiersOf(placement, id).some((number) => tiers.of(number) > (plan.max[number] ?? 0)),
    );
    for (const row of crowded) {
      const own = tree.tiersOf[row[part] ?? NOWHERE]?.at(-1) ?? -1;
      // Two replicas on one device are one replica: that does not wait.
      if (placement.canMove(part) || tiers.of(own) > 1) placement.gather(part, row);
    }
  }
}

/**
 * Takes slots from devices that have too many, where the plan lets them go and another failure
 * domain wants some: one of each partition.
 *
 * @param start - the partition to begin with
 */
export function gatherDispersible(placement: Placement, start: number): void {
  const { parts, rows, tiers } = placement;
  const wantedIn = wantedByTier(placement);
  for (let offset = 0; offset < parts; offset++) {
    const part = (start + offset) % parts;
    if (!placement.canMove(part)) continue;
    const overweight = rowsOf(placement, part, (id) => (placement.wanted[id] ?? 0) < 0);
    if (overweight.length === 0) continue;
    tiers.load(rows, part);
    const row = overweight.find((each) => canShed(placement, each[part] ?? NOWHERE, wantedIn));
    if (row === undefined) continue;
    for (const number of tiersOf(placement, row[part] ?? NOWHERE)) {
      wantedIn[number] = (wantedIn[number] ?? 0) - 1;
    }
    placement.gather(part, row);
  }
}

/**
 * Takes slots from devices that have too many, wherever they may end: one of each partition. It
 * frees what the plan's bounds would hold in place.
 */
export function gatherForced(placement: Placement, start: number): void {
  const { parts, rows, tiers } = placement;
  for (let offset = 0; offset < parts; offset++) {
    const part = (start + offset) % parts;
    if (!placement.canMove(part)) continue;
    const [row] = rowsOf(placement, part, (id) => (placement.wanted[id] ?? 0) < 0);
    if (row === undefined) continue;
    tiers.load(rows, part);
    placement.gather(part, row);
  }
}

/** How many slots the devices of each tier want, by tier; those that want to give are not counted. */
export function wantedByTier(placement: Placement): Float64Array {
  const wantedIn = new Float64Array(placement.tree.tiers.length);
  for (const { id } of placement.devices) {
    const wanted = Math.max(placement.wanted[id] ?? 0, 0);
    for (const number of tiersOf(placement, id))
      wantedIn[number] = (wantedIn[number] ?? 0) + wanted;
  }
  return wantedIn;
}

/** Whether a device may give a replica away that a device of the right tier wants. */
function canShed(placement: Placement, id: number, wantedIn: Float64Array): boolean {
  const { tiers, plan, tree } = placement;
  const own = tiersOf(placement, id);
  const isHeld = own.some((number) => {
    const held = tiers.of(number);
    return (plan.min[number] ?? 0) <= held && held < (plan.max[number] ?? 0);
  });
  if (isHeld) return false;
  // The replica has to stay in the narrowest tier that would have too few without it.
  const narrowest = own.findLast((number) => tiers.of(number) - 1 < (plan.min[number] ?? 0));
  const tier: Tier | undefined = tree.tiers[narrowest ?? own[0] ?? 0];
  let wanted = 0;
  for (const child of tier?.weightedChildren ?? []) {
    if (!own.includes(child.number)) wanted += wantedIn[child.number] ?? 0;
  }
  return wanted > 0;
}

/** The rows in which a partition is on such a device, those of the devices that want least first. */
function rowsOf(
  placement: Placement,
  part: number,
  isWanted: (id: number) => boolean,
): Uint16Array[] {
  const found: Uint16Array[] = [];
  for (const row of placement.rows) {
    const id = row[part];
    if (id !== undefined && id !== NOWHERE && isWanted(id)) found.push(row);
  }
  const wantOf = (row: Uint16Array): number => placement.wanted[row[part] ?? NOWHERE] ?? 0;
  return found.length > 1 ? found.sort((a, b) => wantOf(a) - wantOf(b)) : found;
}

const NONE = new Int32Array(0);

function tiersOf({ tree }: Placement, id: number): Int32Array {
  return tree.tiersOf[id] ?? NONE;
}
