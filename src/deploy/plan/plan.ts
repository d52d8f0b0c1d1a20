import { packBuilder } from '../../ring/builder/builder-file.js';
import { ringOf } from '../../ring/builder/rebalance.js';
import { RingBuildError } from '../../ring/ring-error.js';
import { writeRing } from '../../ring/ring-writer.js';
import { pointer, type SpecProblem } from '../spec/parse.js';
import type { Spec } from '../spec/schema.js';
import { refusals, type InForce } from './refusals.js';
import { deviceChanges, healthOf, planRing, type RingHealth, type RingPlan } from './ring-plan.js';
import { ringWarnings, specWarnings } from './warnings.js';

export interface PlanInput {
  readonly spec: Spec;
  readonly inForce: InForce;
  readonly seed: number;
  /** Seconds since 1970; only the hour counts. */
  readonly nowS: number;
  readonly allowLarge: boolean;
}

/** A plan's change of a ring, as the control service answers it. */
export interface RingChangeJson {
  readonly ring: string;
  readonly parts_moved: number;
  /** Per cent of all part-replicas. */
  readonly moved_pct: number;
  /** Null where the specification does not say how many bytes the ring has. */
  readonly bytes_est: number | null;
  readonly balance_before_pct: number | null;
  readonly balance_after_pct: number | null;
  readonly dispersion_before_pct: number | null;
  readonly dispersion_after_pct: number | null;
  /** Moves of the plans that follow. */
  readonly next_steps_parts_moved: readonly number[];
  readonly leaving_parts: number;
  readonly devices: readonly object[];
}

/** The risks while replicators carry a plan out. */
export interface BlastRadiusJson {
  readonly ring: string;
  /** Partitions of which a replica is where it was not before, and has to be copied. */
  readonly partitions_moving: number;
  readonly partitions_moving_pct: number;
  readonly replicas_of_a_partition_max: number;
  readonly partitions_below_write_quorum: number;
  /** Before that, these partitions do not move again. */
  readonly movable_again_unix_s: number;
}

/** The rings of a plan. */
export interface PlannedRings {
  /** Everything that is refused; then there is no plan. */
  readonly refused: readonly SpecProblem[];
  readonly rings: readonly PlannedRing[];
  readonly changes: readonly RingChangeJson[];
  readonly blastRadius: readonly BlastRadiusJson[];
  readonly warnings: readonly string[];
  /** Whether no further plan of the same specification will change a ring. */
  readonly isComplete: boolean;
}

export interface PlannedRing {
  readonly name: string;
  readonly isChanged: boolean;
  readonly builder: Buffer;
  /** The ring file. */
  readonly file: Buffer;
}

const SECONDS_IN_AN_HOUR = 3600;

/**
 * Plans all rings of a specification. The result is the same for the same arguments, and for all
 * times of an hour.
 */
export function planRings(input: PlanInput): PlannedRings {
  const { spec, inForce, seed, allowLarge } = input;
  const nowS = Math.floor(input.nowS / SECONDS_IN_AN_HOUR) * SECONDS_IN_AN_HOUR;
  const refused = refusals(spec, inForce).filter(
    ({ code }) => !(allowLarge && code === 'needs_allow_large'),
  );
  const plans: RingPlan[] = [];
  for (const [at, ring] of refused.length > 0 ? [] : [...spec.rings.entries()]) {
    try {
      plans.push(planRing({ spec, ring, before: inForce.builders.get(ring.name), seed, nowS }));
    } catch (error) {
      if (!(error instanceof RingBuildError)) throw error;
      const path = pointer(['rings', at]);
      refused.push({ path, code: 'unbuildable', message: `${ring.name}: ${error.message}` });
    }
  }
  if (refused.length > 0) {
    return {
      refused,
      rings: [],
      changes: [],
      blastRadius: [],
      warnings: [],
      isComplete: false,
    };
  }
  const healths = new Map(plans.map((plan) => [plan.ring, healthOf(plan.after)]));
  return {
    refused,
    rings: plans.map((plan) => plannedRing(plan)),
    changes: plans
      .filter(({ isChanged }) => isChanged)
      .map((plan) => changeJson(plan, spec, healths.get(plan.ring))),
    blastRadius: plans.filter(({ moves }) => moves.parts > 0).map((plan) => blastJson(plan)),
    warnings: [
      ...specWarnings(spec, inForce),
      ...plans.flatMap((plan) => ringWarnings(plan, healths.get(plan.ring), nowS)),
    ],
    isComplete: plans.every(({ nextSteps, leavingParts }) => nextSteps.length + leavingParts === 0),
  };
}

function plannedRing({ ring: name, after, isChanged }: RingPlan): PlannedRing {
  return { name, isChanged, builder: packBuilder(after), file: writeRing(ringOf(after)) };
}

function changeJson(
  plan: RingPlan,
  { rings }: Spec,
  after: RingHealth | undefined,
): RingChangeJson {
  const { moves, ring } = plan;
  const slots = plan.after.rows.reduce((sum, row) => sum + row.length, 0);
  const bytes = rings.find(({ name }) => name === ring)?.stored_bytes;
  const before = healthOf(plan.before);
  return {
    ring,
    parts_moved: moves.parts,
    moved_pct: (100 * moves.parts) / slots,
    bytes_est: bytes === undefined ? null : Math.round((bytes * moves.parts) / slots),
    balance_before_pct: before?.balancePct ?? null,
    balance_after_pct: after?.balancePct ?? null,
    dispersion_before_pct: before?.dispersionPct ?? null,
    dispersion_after_pct: after?.dispersionPct ?? null,
    next_steps_parts_moved: plan.nextSteps,
    leaving_parts: plan.leavingParts,
    devices: deviceChanges(plan).map((device) => ({
      id: device.id,
      node: device.node,
      device: device.device,
      weight_before: device.weightBefore,
      weight_after: device.weightAfter,
      parts_before: device.partsBefore,
      parts_after: device.partsAfter,
    })),
  };
}

function blastJson({ ring, moves, after, movableAtS }: RingPlan): BlastRadiusJson {
  return {
    ring,
    partitions_moving: moves.partitions,
    partitions_moving_pct: (100 * moves.partitions) / 2 ** after.partPower,
    replicas_of_a_partition_max: moves.replicasMax,
    partitions_below_write_quorum: moves.atRisk,
    movable_again_unix_s: movableAtS,
  };
}
