import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Policy } from '../../../../src/ring/policy.js';
import { ApiError } from '../../../server/api-error.js';
import { audited } from '../../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute } from '../../../server/route-options.js';
import { clientGone } from '../../../server/traffic.js';
import { labPage, READ, ringSource } from '../ground/data-source.js';
import { misfit, type OpenRing } from '../ground/lab-rings.js';
import { measurePolicy, type PolicyTimes } from '../ground/pulse.js';
import type { Lab } from '../lab.js';
import { comparePolicies, protectionOf, type Candidate, type PolicyRow } from './comparison.js';
import { memberCount, type Protection } from './storage-cost.js';

/** A policy of the cluster. */
export interface PolicyView {
  readonly index: number;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly type: Protection['kind'];
  readonly is_default: boolean;
  readonly is_deprecated: boolean;
  readonly k: number | null;
  readonly m: number | null;
  readonly ec_type: string | null;
  readonly segment_bytes: number | null;
  readonly duplication: number | null;
  /** Null where it has no ring that can be used. */
  readonly ring: {
    readonly name: string;
    readonly replicas: number;
    readonly parts: number;
  } | null;
  readonly problem: string | null;
}

export interface PoliciesView {
  readonly items: readonly PolicyView[];
}

/** A policy in a comparison, with what it was measured to do, if that was asked for. */
export interface ComparedPolicy extends PolicyRow {
  readonly measured: PolicyTimes | null;
  /**
   * The reason for which it was not measured, or not whole; null where it was, or where that was not
   * asked for.
   */
  readonly measure_problem: string | null;
}

export interface ComparisonView {
  readonly rows: readonly ComparedPolicy[];
  readonly assumptions: { readonly afr_pct: number; readonly mttr_h: number };
}

const whole = (min: number, max: number) => z.int().min(min).max(max);
const NAME = z.string().min(1).max(64);
const CANDIDATE = z.union([
  z.strictObject({ index: whole(0, 65_535) }),
  z.strictObject({
    name: NAME,
    type: z.literal('replication'),
    replicas: z.number().min(1).max(64),
  }),
  z.strictObject({
    name: NAME,
    type: z.literal('erasure_coding'),
    k: z.int(),
    m: z.int(),
    duplication: whole(1, 8).default(1),
    segment_bytes: whole(1, 2 ** 30).default(1_048_576),
    ec_type: z.string().max(64).default('liberasurecode_rs_vand'),
  }),
]);
const COMPARE = z.strictObject({
  candidates: z.array(CANDIDATE).min(1).max(6),
  assumptions: z
    .strictObject({
      afr_pct: z.number().gt(0).max(100).default(2),
      mttr_h: z.number().gt(0).max(8766).default(24),
      object_bytes: z
        .array(whole(0, 2 ** 43))
        .min(1)
        .max(12)
        .default([1024, 65_536, 1_048_576, 16_777_216, 1_073_741_824]),
    })
    .prefault({}),
  /** Writes and reads so many objects in a container of each policy of the cluster. */
  measure: z
    .strictObject({ n: whole(1, 50).default(10), bytes: whole(0, 8 * 1024 * 1024).default(65_536) })
    .optional(),
});
type Measure = NonNullable<z.infer<typeof COMPARE>['measure']>;

export const POLICIES = labPage({
  name: 'policies',
  title: 'Policy compare',
  purpose: 'Compare the cost and durability of storage policies.',
  icon: 'scale',
  source: ringSource,
  routes: policyRoutes,
});

function policyRoutes(app: FastifyInstance, context: ConsoleContext, lab: Lab): void {
  const access = 'operate';

  app.get('/lab/api/policies', READ, async (): Promise<PoliciesView> => {
    const items: PolicyView[] = [];
    for (const policy of (await lab.rings.policies()).values()) {
      items.push(await viewOf(lab, policy));
    }
    return { items };
  });

  app.post(
    '/lab/api/policies/compare',
    auditedRoute(access),
    async (request, reply): Promise<ComparisonView> => {
      const { candidates, assumptions, measure } = parse(COMPARE, request.body);
      const chosen: Candidate[] = [];
      for (const one of candidates) chosen.push(await candidateOf(lab, one));
      const { afr_pct: afrPct, mttr_h: mttrHours, object_bytes: objectBytes } = assumptions;
      const containerReplicas = await containerReplicasOf(lab);
      const assumed = { afrPct, mttrHours, objectBytes, containerReplicas };
      const compared = comparePolicies(chosen, assumed);
      const view = { assumptions: { afr_pct: afrPct, mttr_h: mttrHours } };
      if (measure === undefined) {
        const rows = compared.map((row) => ({ ...row, measured: null, measure_problem: null }));
        return { rows, ...view };
      }
      return lab.pulses.take(clientGone(reply), async (signal) => {
        const rows: ComparedPolicy[] = [];
        // One policy after the other, so that they do not slow each other down.
        for (const row of compared) {
          rows.push({ ...row, ...(await measured(context, request, row, { ...measure, signal })) });
        }
        return { rows, ...view };
      });
    },
  );
}

type Measured = Pick<ComparedPolicy, 'measured' | 'measure_problem'>;

const TIME_IS_OVER = 'The measurement timed out.';

async function measured(
  context: ConsoleContext,
  request: FastifyRequest,
  { index, name }: PolicyRow,
  { n, bytes, signal }: Measure & { readonly signal: AbortSignal },
): Promise<Measured> {
  if (index === null) return { measured: null, measure_problem: null };
  const isOver = (): boolean => signal.aborted;
  if (isOver()) return { measured: null, measure_problem: TIME_IS_OVER };
  const act = { action: 'lab.policy_pulse', target: name, details: { n, bytes } };
  try {
    const times = await audited(context, request, act, () =>
      measurePolicy(sessionOf(request), name, { n, bytes }, signal),
    );
    return { measured: times, measure_problem: isOver() ? TIME_IS_OVER : null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isOver()) return { measured: null, measure_problem: TIME_IS_OVER };
    return { measured: null, measure_problem: error.message };
  }
}

/** Swift's usual number where the ring cannot be read. */
async function containerReplicasOf(lab: Lab): Promise<number> {
  return lab.rings.open('container').then(
    ({ ring }) => ring.replicas,
    () => 3,
  );
}

async function viewOf(lab: Lab, policy: Policy): Promise<PolicyView> {
  const opened = await ringOf(lab, policy);
  const coding = policy.erasureCoding;
  const isRing = !(opened instanceof ApiError);
  return {
    index: policy.index,
    name: policy.name,
    aliases: policy.names.slice(1),
    type: coding === undefined ? 'replication' : 'erasure_coding',
    is_default: policy.isDefault,
    is_deprecated: policy.isDeprecated,
    k: coding?.dataFragments ?? null,
    m: coding?.parityFragments ?? null,
    ec_type: coding?.type ?? null,
    segment_bytes: coding?.segmentBytes ?? null,
    duplication: coding?.duplicationFactor ?? null,
    ring: isRing
      ? { name: opened.name, replicas: opened.ring.replicas, parts: opened.ring.partitionCount }
      : null,
    problem: isRing ? (misfit(opened, policy) ?? null) : opened.message,
  };
}

async function ringOf({ rings }: Lab, policy: Policy): Promise<OpenRing | ApiError> {
  try {
    return await rings.open(policy.ringName);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

type GivenCandidate = z.infer<typeof CANDIDATE>;

async function candidateOf(lab: Lab, given: GivenCandidate): Promise<Candidate> {
  const policies = await lab.rings.policies();
  if ('index' in given) {
    const policy = policies.get(given.index);
    if (policy === undefined) {
      throw new ApiError('unprocessable', `Policy ${given.index} not found.`);
    }
    const opened = await ringOf(lab, policy);
    if (opened instanceof ApiError) return withoutRing(policy, opened);
    const protection = protectionOf(policy, opened.ring.replicas);
    const input = { file: opened.file, protection, isPlanned: false };
    return {
      name: policy.name,
      index: policy.index,
      ring: opened.name,
      protection,
      partitions: opened.ring.partitionCount,
      loss: await lab.compute.run('domain_loss', input),
    };
  }
  const protection = hypothetical(given);
  // The devices of the default policy stand in for those that it would have.
  const standIn = [...policies.values()].find(({ isDefault }) => isDefault);
  const opened = standIn === undefined ? undefined : await ringOf(lab, standIn);
  const ring = opened instanceof ApiError ? undefined : opened;
  const enough =
    ring !== undefined &&
    ring.read.data.devices.filter((device) => (device?.weight ?? 0) > 0).length >=
      Math.ceil(memberCount(protection));
  return {
    name: given.name,
    index: null,
    ring: null,
    protection,
    partitions: ring?.ring.partitionCount ?? DEFAULT_PARTITIONS,
    loss: enough
      ? await lab.compute.run('domain_loss', { file: ring.file, protection, isPlanned: true })
      : null,
  };
}

const DEFAULT_PARTITIONS = 2 ** 14;
const FRAGMENTS_MAX = 64;

/**
 * A policy whose ring cannot be used: of an erasure code all but the places of its fragments is
 * known, of replication not even the number of copies.
 * @throws ApiError the ring's, for a policy of replication
 */
function withoutRing(policy: Policy, problem: ApiError): Candidate {
  if (policy.erasureCoding === undefined) throw problem;
  return {
    name: policy.name,
    index: policy.index,
    ring: null,
    protection: { kind: 'erasure_coding', coding: policy.erasureCoding },
    partitions: DEFAULT_PARTITIONS,
    loss: null,
  };
}

/** @throws ApiError unprocessable for a code that cannot be */
function hypothetical(given: Exclude<GivenCandidate, { index: number }>): Protection {
  if (given.type === 'replication') return { kind: 'replication', replicas: given.replicas };
  const { k, m, duplication, segment_bytes: segmentBytes, ec_type: type } = given;
  if (k < 1 || m < 1 || k + m > FRAGMENTS_MAX) {
    const reason = `expected 1 or more of each, and at most ${FRAGMENTS_MAX} together`;
    throw new ApiError('unprocessable', `Invalid erasure code ${k}+${m}: ${reason}.`);
  }
  return {
    kind: 'erasure_coding',
    coding: {
      type,
      dataFragments: k,
      parityFragments: m,
      segmentBytes,
      duplicationFactor: duplication,
    },
  };
}
