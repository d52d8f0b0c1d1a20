import { rebalance, ringOf } from '../../ring/builder/rebalance.js';
import {
  changeBuilder,
  HOURS_MAX,
  newBuilder,
  type BuilderState,
} from '../../ring/builder/state.js';
import { countParts } from '../../ring/ring-data.js';
import { RingBuildError } from '../../ring/ring-error.js';
import { deviceBalances, ringBalance, ringDispersion } from '../../ring/ring-health.js';
import type { Spec, SpecRing } from '../spec/schema.js';
import { movesOf, writeQuorum, type Moves } from './moves.js';
import { ringChanges, type LeaveBy, type RingChanges } from './ring-changes.js';

export interface RingPlanInput {
  readonly spec: Spec;
  readonly ring: SpecRing;
  /** The builder of the ring that is in force; undefined for a new ring. */
  readonly before: BuilderState | undefined;
  readonly seed: number;
  /** Seconds since 1970. */
  readonly nowS: number;
}

export interface RingPlan {
  readonly ring: string;
  readonly before: BuilderState | undefined;
  /** The same as `before` where nothing is to be done. */
  readonly after: BuilderState;
  readonly isChanged: boolean;
  readonly moves: Moves;
  readonly leaveBy: LeaveBy;
  /** Part-replicas that are still on devices that leave. */
  readonly leavingParts: number;
  /** Later plans of the same specification; the moves that each is expected to make. */
  readonly nextSteps: readonly number[];
  /** Seconds since 1970 when all partitions that this plan moves may move again. */
  readonly movableAtS: number;
}

/**
 * Hours that partitions stay where they are. Plans know the hour and not the minute: one that moved
 * at the end of an hour would move again at the beginning of another one, without one more.
 */
export function hoursToWait(minPartHours: number): number {
  return minPartHours === 0 ? 0 : Math.min(minPartHours + 1, HOURS_MAX);
}

/** Plans that are foreseen; what comes after them is not counted. */
const FORESEEN_MAX = 24;
/** A ring that is not changed is rebalanced only where that helps: `swift-ring-builder`, "cowardly". */
const WORTHWHILE_PCT = 1;

/**
 * Plans the next step of one ring. Of each partition at most one replica moves: where the removal of
 * devices would move more, or the only one, they are drained instead, over several plans.
 *
 * @throws RingBuildError where the ring cannot be built
 */
export function planRing(input: RingPlanInput): RingPlan {
  const { ring, nowS } = input;
  const start = input.before ?? emptyBuilder(ring);
  // The data of a device is on no other one where partitions have one replica.
  const isCopied = Math.min(start.replicas, ring.replicas) >= 2;
  const mayRemove = isCopied && input.spec.rollout.weight_step_pct === 100;
  let leaveBy: LeaveBy = mayRemove ? 'remove' : 'drain';
  let step = takeStep(input, start, leaveBy);
  if (leaveBy === 'remove' && step.moves.replicasMax > 1 && step.changes.leaving.length > 0) {
    leaveBy = 'drain';
    step = takeStep(input, start, leaveBy);
  }
  const isChanged = isWorthwhile(input.before, step);
  const after = isChanged ? step.after : start;
  const leavingParts = partsOn(after, step.changes.leaving);
  return {
    ring: ring.name,
    before: input.before,
    after,
    isChanged,
    moves: isChanged ? step.moves : { parts: 0, partitions: 0, replicasMax: 0, atRisk: 0 },
    leaveBy,
    leavingParts,
    nextSteps: foresee(input, after, leaveBy),
    movableAtS:
      isChanged && step.moves.parts > 0 ? nowS + hoursToWait(ring.min_part_hours) * 3600 : nowS,
  };
}

function emptyBuilder(ring: SpecRing): BuilderState {
  const { part_power: partPower, replicas, min_part_hours: minPartHours, overload } = ring;
  return newBuilder({ partPower, replicas, minPartHours, overload });
}

interface Step {
  readonly after: BuilderState;
  readonly changes: RingChanges;
  readonly moves: Moves;
}

function takeStep(
  { spec, ring, seed, nowS }: RingPlanInput,
  before: BuilderState,
  leaveBy: LeaveBy,
): Step {
  const changes = ringChanges(before, spec, ring, partCounts(before), leaveBy);
  const changed = changeBuilder(before, changes.changes);
  const minPartHours = hoursToWait(changed.minPartHours);
  const { state } = rebalance({ ...changed, minPartHours }, { seed, nowS });
  const after = { ...state, minPartHours: changed.minPartHours };
  const quorum = writeQuorum(spec, ring.name, ring.replicas);
  return { after, changes, moves: movesOf(before.rows, after.rows, quorum) };
}

function isWorthwhile(before: BuilderState | undefined, { after, changes, moves }: Step): boolean {
  if (before === undefined || changes.changes.length > 0) return true;
  if (moves.parts === 0) return false;
  if (partsOn(after, changes.leaving) < partsOn(before, changes.leaving)) return true;
  const change = (measure: (state: BuilderState) => number) => measure(before) - measure(after);
  return (
    change((state) => ringBalance(assignmentOf(state))) >= WORTHWHILE_PCT ||
    change((state) => ringDispersion(assignmentOf(state)).dispersion) >= WORTHWHILE_PCT
  );
}

/** The moves of the plans that follow, each once all partitions may move again. */
function foresee(input: RingPlanInput, after: BuilderState, leaveBy: LeaveBy): number[] {
  const moves: number[] = [];
  let state = after;
  while (moves.length < FORESEEN_MAX) {
    const movable = changeBuilder(state, [{ kind: 'forget_moves' }]);
    const step = takeStep(input, movable, leaveBy);
    if (!isWorthwhile(movable, step)) break;
    moves.push(step.moves.parts);
    state = step.after;
  }
  return moves;
}

/** How a ring stands: what a plan compares. */
export interface RingHealth {
  readonly balancePct: number;
  readonly dispersionPct: number;
}

/** @returns undefined where there is no ring yet */
export function healthOf(state: BuilderState | undefined): RingHealth | undefined {
  if (state === undefined || state.rows.length === 0) return undefined;
  const assignment = assignmentOf(state);
  return {
    balancePct: ringBalance(assignment),
    dispersionPct: ringDispersion(assignment).dispersion,
  };
}

/** A device before and after a plan; what it is not part of is null. */
export interface DeviceChange {
  readonly id: number;
  readonly node: string;
  readonly device: string;
  readonly weightBefore: number | null;
  readonly weightAfter: number | null;
  readonly partsBefore: number | null;
  readonly partsAfter: number | null;
}

export function deviceChanges({ before, after }: RingPlan): DeviceChange[] {
  const partsBefore = before === undefined ? new Map<number, number>() : partsById(before);
  const partsAfter = partsById(after);
  const length = Math.max(before?.devices.length ?? 0, after.devices.length);
  const found: DeviceChange[] = [];
  for (let id = 0; id < length; id++) {
    const old = before?.devices[id] ?? null;
    const now = after.devices[id] ?? null;
    const device = now ?? old;
    if (device === null) continue;
    found.push({
      id,
      node: device.meta,
      device: device.device,
      weightBefore: old?.weight ?? null,
      weightAfter: now?.weight ?? null,
      partsBefore: old === null ? null : (partsBefore.get(id) ?? 0),
      partsAfter: now === null ? null : (partsAfter.get(id) ?? 0),
    });
  }
  return found;
}

function partsById(state: BuilderState): Map<number, number> {
  if (state.rows.length === 0) return new Map();
  return new Map(deviceBalances(assignmentOf(state)).map(({ id, parts }) => [id, parts]));
}

function assignmentOf(state: BuilderState) {
  return { ...ringOf(state), replicas: state.replicas };
}

/** Part-replicas by device id. */
function partCounts({ rows, devices }: BuilderState): Uint32Array {
  const counting = countParts(rows, devices, (id) => {
    return new RingBuildError(`a partition is on the device ${id}, which is not there`);
  });
  let step = counting.next();
  while (step.done !== true) step = counting.next();
  return step.value;
}

function partsOn(state: BuilderState, ids: readonly number[]): number {
  if (ids.length === 0) return 0;
  const counts = partCounts(state);
  return ids.reduce((sum, id) => sum + (counts[id] ?? 0), 0);
}
