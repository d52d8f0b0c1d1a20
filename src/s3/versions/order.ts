import type { WriteOrder } from '../../backend/backend.js';

/**
 * The age of what a write stands behind: a deletion that stands there is as old, and Swift forgets
 * deletions after its `reclaim_age`, a week by default; then an earlier write would not find it.
 */
const AGE_MS_MAX = 86_400_000;

/**
 * The place of a write behind what was written at a time, for stores with `Capabilities.orderedWrites`.
 * Without one, who writes has to look, before and afterwards; what is written has a new time then.
 *
 * @param since - milliseconds since the epoch; undefined where it is not known
 * @param rank - of several writes behind the same, the one with the highest stays
 * @returns undefined where there is nothing that can be stood behind
 */
export function placeBehind(since: number | undefined, rank: number): WriteOrder | undefined {
  if (since === undefined || Date.now() - since > AGE_MS_MAX) return undefined;
  return { since, rank };
}

/** Odd ranks are of removals: that of a generation removes that one, and no later one. */
const RANKS_PER_GENERATION = 2;

/**
 * Where an index stands: behind those of earlier generations, in whatever order they come. All
 * generations are told with the time at which the first one was created.
 */
export function placeOfIndex(
  generation: number,
  createdAt: number | undefined,
): WriteOrder | undefined {
  return placeBehind(createdAt, generation * RANKS_PER_GENERATION);
}

/** Where a first version stands that makes room for the second index. */
export function placeOfMove(createdAt: number | undefined): WriteOrder | undefined {
  return createdAt === undefined ? undefined : { since: createdAt, rank: 1 };
}

/** The same of its removal. */
export function placeOfRemoval(generation: number, createdAt: number): WriteOrder {
  return { since: createdAt, rank: generation * RANKS_PER_GENERATION + 1 };
}
