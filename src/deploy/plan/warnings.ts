import type { Spec } from '../spec/schema.js';
import type { InForce } from './refusals.js';
import { hoursToWait, type RingHealth, type RingPlan } from './ring-plan.js';

/** The balance above which a ring is worth a word. */
const BALANCE_HIGH_PCT = 10;

/** The meaning of a plan, in words, where it is more than its numbers say. */
export function ringWarnings(
  plan: RingPlan,
  after: RingHealth | undefined,
  nowS: number,
): string[] {
  const { ring, moves, leavingParts, nextSteps, leaveBy } = plan;
  const warnings: string[] = [];
  if (moves.atRisk > 0) {
    const who = moves.atRisk === 1 ? '1 partition has' : `${moves.atRisk} partitions have`;
    warnings.push(
      `${ring}: ${who} fewer replicas in place than a write needs, until replicators have copied the others.`,
    );
  }
  if (moves.replicasMax > 1) {
    warnings.push(`${ring}: up to ${moves.replicasMax} replicas of a partition move at once.`);
  }
  if (leaveBy === 'drain' && leavingParts > 0) {
    warnings.push(
      `${ring}: ${leavingParts} part-replicas are still on devices that leave. Keep these devices running, and plan again once replicators have finished.`,
    );
  }
  if (nextSteps.length > 0) {
    warnings.push(
      `${ring}: ${nextSteps.length} more ${nextSteps.length === 1 ? 'plan' : 'plans'} of this specification will follow, each after min_part_hours.`,
    );
  }
  if (plan.isChanged && plan.before !== undefined && moves.parts === 0 && waits(plan, nowS)) {
    warnings.push(
      `${ring}: partitions moved less than min_part_hours (${plan.after.minPartHours} h) ago stay where they are.`,
    );
  }
  if (after !== undefined && after.balancePct > BALANCE_HIGH_PCT && leavingParts === 0) {
    warnings.push(
      `${ring}: a device will have ${after.balancePct.toFixed(1)} % more or less than its share.`,
    );
  }
  if (after !== undefined && after.dispersionPct > 0) {
    warnings.push(
      `${ring}: ${after.dispersionPct.toFixed(2)} % of the part-replicas lie closer together than they need to.`,
    );
  }
  return warnings;
}

/** Whether partitions of the ring moved less than `min_part_hours` ago. */
function waits({ before }: RingPlan, nowS: number): boolean {
  if (before === undefined) return false;
  const passed = Math.floor((nowS - before.countedAtS) / 3600);
  return before.hoursSinceMove.some((hours) => hours + passed < hoursToWait(before.minPartHours));
}

/** Changes of a specification that reach beyond rings. */
export function specWarnings(spec: Spec, { spec: before }: InForce): string[] {
  if (before === undefined) return [];
  const warnings: string[] = [];
  const defaultOf = ({ policies }: Spec) => policies.find((policy) => policy.default)?.name;
  if (defaultOf(spec) !== defaultOf(before)) {
    warnings.push(
      `New containers that name no policy will have ${defaultOf(spec) ?? 'none'}, not ${defaultOf(before) ?? 'none'}.`,
    );
  }
  const names = new Set(spec.nodes.map(({ name }) => name));
  for (const node of before.nodes) {
    if (names.has(node.name)) continue;
    warnings.push(
      `${node.name} leaves the cluster: stop its services once none of its devices has partitions.`,
    );
  }
  return warnings;
}
