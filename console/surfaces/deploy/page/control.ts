import { ApiFailure, call, raw } from '../../../ui/api.js';
import type { StoredPlan } from '../../../../src/deploy/service/planner-protocol.js';
import type { Run as RecordedRun } from '../../../../src/deploy/service/run-record.js';
import type { SpecProblem } from '../../../../src/deploy/spec/parse.js';
import type { Json } from './json-values.js';

/** The console's routes of Deploy. */

/**
 * A plan, which an older service may have made. `unreachable`: nodes that could not be
 * looked at when the plan was made; `unsettled`: those with files of runs that did not succeed.
 */
export type Plan = Omit<StoredPlan, 'unreachable' | 'unsettled'> & {
  readonly unreachable?: readonly { readonly node: string; readonly why: string }[];
  readonly unsettled?: readonly string[];
};

/** `retry_of`: the run of which it does again what is left; `retry_nodes`: of these alone. */
export type Run = RecordedRun & {
  readonly retry_of?: string | null;
  readonly retry_nodes?: readonly string[] | null;
};

/** A specification as it is edited: anything may be wrong with it. */
export type Spec = Readonly<Json>;

/** A wish for a plan or a ramp; without `spec_etag` it is of the specification that is saved. */
export interface Wish {
  spec_etag?: string;
  seed?: number;
  allow_large?: boolean;
  repair?: boolean;
}

/**
 * The specification that the service has.
 *
 * @returns `etag` is for `saveSpec`
 */
export async function loadSpec(): Promise<{ spec: Spec | null; etag: string }> {
  const answer = await raw('GET', '/deploy/api/spec');
  return { spec: (await answer.json()) as Spec | null, etag: answer.headers.get('etag') ?? '' };
}

/**
 * @param etag of the one that it replaces
 * @returns the new entity tag
 */
export async function saveSpec(spec: Spec, etag: string): Promise<string> {
  const headers = { 'if-match': etag };
  const answer = await raw('PUT', '/deploy/api/spec', spec, false, undefined, headers);
  await answer.json();
  return answer.headers.get('etag') ?? '';
}

/** Sends an act with headers of the contract. @returns its answer, which names what has begun */
async function begin(path: string, body: object, headers: Readonly<Record<string, string>>) {
  const answer = await raw('POST', path, body, false, undefined, headers);
  return (await answer.json()) as { readonly run_id: string; readonly ramp_id: string };
}

/**
 * Begins to apply a plan.
 *
 * @param cluster the name as it was typed
 * @param key another one for each wish to apply
 * @returns the id of the run
 */
export async function applyPlan(plan: Plan, cluster: string, key: string): Promise<string> {
  const headers = { 'if-match': `"${plan.base_etag}"`, 'idempotency-key': key };
  return (await begin(`/deploy/api/plans/${plan.id}/apply`, { cluster }, headers)).run_id;
}

/**
 * Does again what a run has left.
 *
 * @param node that it is done on; null for all that are left
 * @param key another one for each wish
 * @returns the id of the new run
 */
export async function retryRun(run: string, node: string | null, key: string): Promise<string> {
  const body = node === null ? {} : { nodes: [node] };
  return (await begin(`/deploy/api/runs/${run}/retry`, body, { 'idempotency-key': key })).run_id;
}

/**
 * @param key another one for each wish
 * @returns the id of the ramp
 */
export async function beginRamp(cluster: string, wish: Wish, key: string): Promise<string> {
  const body = { cluster, ...wish };
  return (await begin('/deploy/api/ramps', body, { 'idempotency-key': key })).ramp_id;
}

/**
 * The users who began runs in this console, by the id of the run. The service knows the console's user alone.
 */
export async function operators(): Promise<Readonly<Record<string, string>>> {
  const none = { runs: {} };
  return (await call('GET', '/deploy/api/operators').catch(() => none)).runs;
}

/** The problems of a specification that a failure names; undefined where it names none. */
export function problemsOf(error: unknown): readonly SpecProblem[] | undefined {
  const errors = error instanceof ApiFailure ? error.details.errors : undefined;
  return Array.isArray(errors) ? (errors as SpecProblem[]) : undefined;
}
