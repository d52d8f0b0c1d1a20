import { countParts, type RingData } from '../ring-data.js';
import { RingBuildError } from '../ring-error.js';
import { assign } from './assign.js';
import { gatherDispersible, gatherForced, gatherForDispersion } from './gather.js';
import { Placement } from './placement.js';
import { SeededRandom } from './random.js';
import type { BuilderState } from './state.js';

/** Rounds of gathering; more of them improve little. */
const ROUNDS_MAX = 3;

export interface RebalanceOptions {
  /** The seed of the random choices: a whole number. */
  readonly seed: number;
  /** Seconds since 1970. */
  readonly nowS: number;
}

export interface Rebalanced {
  readonly state: BuilderState;
  /** Part-replicas that are on another device than before: the data that has to be copied. */
  readonly moved: number;
  /** Part-replicas that were not there before, by more replicas or at the first rebalance. */
  readonly added: number;
  /** Part-replicas that are no longer there, by fewer replicas. */
  readonly dropped: number;
}

/**
 * Assigns partitions to devices by their weights, as far apart as they and the overload allow, and
 * moves as little as it can: at most one replica of a partition in `min_part_hours`, but for those
 * of removed devices. The same arguments have the same result.
 *
 * It works like Swift's builder, with two differences: it counts the partitions of each device
 * after a change of the number of replicas, where Swift counts before and moves more; and it makes
 * other random choices.
 *
 * @throws RingBuildError where there are fewer weighted devices than replicas
 */
export function rebalance(state: BuilderState, { seed, nowS }: RebalanceOptions): Rebalanced {
  const random = new SeededRandom(seed);
  const placement = new Placement(state, nowS);
  const { parts } = placement;
  gatherForDispersion(placement);
  let start = state.gatherStart;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    // On the other side of the ring, so that no part of it is always looked at first.
    start = (start + (parts >>> 2) + random.integer((parts >>> 1) + 1)) % parts;
    if (round === 0) gatherDispersible(placement, start);
    gatherForced(placement, start);
    const gathered = placement.takeGathered();
    if (gathered.length === 0) break;
    random.shuffle(gathered);
    assign(placement, gathered, random);
    if (placement.wanted.every((wanted, id) => wanted >= 0 || state.removed.includes(id))) break;
  }
  const { rows, hoursSinceMove, countedAtS } = placement;
  return {
    state: {
      ...state,
      version: state.version + 1,
      devices: state.devices.map((device) =>
        device === null || state.removed.includes(device.id) ? null : device,
      ),
      removed: [],
      rows,
      hoursSinceMove,
      countedAtS,
      gatherStart: start,
    },
    ...difference(state.rows, rows),
  };
}

function difference(
  before: readonly Uint16Array[],
  after: readonly Uint16Array[],
): Pick<Rebalanced, 'moved' | 'added' | 'dropped'> {
  const slots = (rows: readonly Uint16Array[]): number =>
    rows.reduce((sum, row) => sum + row.length, 0);
  let moved = 0;
  let kept = 0;
  for (const [replica, row] of after.entries()) {
    const old = before[replica] ?? row.subarray(0, 0);
    const length = Math.min(old.length, row.length);
    kept += length;
    for (let part = 0; part < length; part++) if (old[part] !== row[part]) moved++;
  }
  return { moved, added: slots(after) - kept, dropped: slots(before) - kept };
}

/**
 * The ring of a builder, to look up in and to write.
 *
 * @throws RingBuildError before the first rebalance
 */
export function ringOf(state: BuilderState): RingData {
  if (state.rows.length === 0) throw new RingBuildError('the ring has not been rebalanced yet');
  const counting = countParts(state.rows, state.devices, (id, replica, part) => {
    return new RingBuildError(`replica ${replica} of partition ${part} is on no device (${id})`);
  });
  let step = counting.next();
  while (step.done !== true) step = counting.next();
  return {
    format: 1,
    partPower: state.partPower,
    nextPartPower: state.nextPartPower,
    version: state.version,
    devices: state.devices,
    rows: state.rows,
    partCounts: step.value,
  };
}
