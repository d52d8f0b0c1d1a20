import { RingBuildError } from '../ring-error.js';
import { DEVICE_DEPTH, type Tier } from '../tier-tree.js';
import { wantedByTier } from './gather.js';
import type { Placement } from './placement.js';
import type { SeededRandom } from './random.js';
import { NOWHERE } from './state.js';

/**
 * Finds a device for each slot that has none: from the regions down, the tier that wants most among
 * those that may have one more replica of the partition.
 *
 * @param parts - partitions with such slots, in the order in which they are served
 * @throws RingBuildError where the plan leaves no room
 */
export function assign(placement: Placement, parts: readonly number[], random: SeededRandom): void {
  const room = wantedByTier(placement);
  const children = shuffledChildren(placement, random);
  const { rows, tiers, tree } = placement;
  for (const part of parts) {
    tiers.load(rows, part);
    for (const row of rows) {
      if (row[part] !== NOWHERE) continue;
      const id = roomiestDevice(placement, part, children, room);
      placement.place(part, row, id);
      for (const number of tree.tiersOf[id] ?? []) room[number] = (room[number] ?? 0) - 1;
    }
  }
}

function roomiestDevice(
  { tiers, plan, tree }: Placement,
  part: number,
  children: readonly (readonly Tier[])[],
  room: Float64Array,
): number {
  let at = 0;
  for (let depth = 0; depth < DEVICE_DEPTH; depth++) {
    let best = -1;
    let most = -Infinity;
    for (const { number } of children[at] ?? []) {
      const own = room[number] ?? 0;
      if (own > most && tiers.of(number) < (plan.max[number] ?? 0)) {
        best = number;
        most = own;
      }
    }
    if (best === -1) throw new RingBuildError(`the plan has no room for partition ${part}`);
    at = best;
  }
  return tree.tiers[at]?.path.at(-1) as number;
}

/**
 * The children of each tier, with those of the neediest device last: the first of equal children is
 * taken. Devices with equal need are in random order.
 */
function shuffledChildren(placement: Placement, random: SeededRandom): (readonly Tier[])[] {
  const { tree, devices, wanted } = placement;
  const order = devices.map(({ id }) => ({
    id,
    wanted: wanted[id] ?? 0,
    draw: random.integer(65_536),
  }));
  order.sort((a, b) => a.wanted - b.wanted || a.draw - b.draw || a.id - b.id);
  const rank = new Float64Array(tree.tiers.length).fill(-1);
  for (const [place, { id }] of order.entries()) {
    for (const number of tree.tiersOf[id] ?? []) rank[number] = place;
  }
  return tree.tiers.map(({ weightedChildren }) =>
    [...weightedChildren].sort((a, b) => (rank[a.number] ?? 0) - (rank[b.number] ?? 0)),
  );
}
