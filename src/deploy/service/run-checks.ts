import type { SpecProblem } from '../spec/parse.js';
import type { Blobs } from '../state/blobs.js';
import { DeployError } from './errors.js';
import type { StoredNext, StoredPlan } from './planner-protocol.js';
import type { Run } from './run-record.js';
import { areRead, isSameHash, readSecrets, type Secrets } from './secrets.js';
import type { DeployStore } from './store.js';

/** The conditions for a run to begin. Each of these throws a DeployError if it does not hold. */

/** @throws DeployError `plan_stale`, `unprocessable` */
export function expectFresh(
  { plan, ifMatch }: { readonly plan: StoredPlan; readonly ifMatch: string },
  appliedEtag: string,
  nowS: number,
): void {
  const stale = (message: string) => new DeployError('plan_stale', message, { plan_id: plan.id });
  if (ifMatch !== plan.base_etag) throw stale('If-Match is not the base_etag of the plan.');
  if (plan.base_etag !== appliedEtag) {
    throw stale('Another plan was applied since this one was made.');
  }
  if (nowS >= plan.expires_unix_s) throw stale('The plan has expired.');
  const failed = plan.checks.filter(({ state }) => state === 'failed');
  if (failed.length > 0) {
    const message = "Swift's own programs refuse files of the plan.";
    throw new DeployError('unprocessable', message, { checks: failed });
  }
}

/** @throws DeployError `conflict` for a run that needs no retry, or not yet */
export function expectEnded({ state }: Run): void {
  if (state !== 'running' && state !== 'succeeded') return;
  throw new DeployError('conflict', `The run is ${state}: there is nothing to retry.`);
}

/** @throws DeployError `plan_stale` where nodes may have something else than the run left there */
export function expectLatest(run: Run, latest: Run | undefined, appliedEtag: string): void {
  const stale = (message: string) =>
    new DeployError('plan_stale', message, { plan_id: run.plan_id });
  if (run.base_etag !== appliedEtag) throw stale('Another plan was applied since the run.');
  if (latest?.id !== run.id) throw stale('Another run was begun since.');
}

/** @throws DeployError `unprocessable` with the nodes of which nothing is left to do */
export function expectLeft(nodes: readonly string[], left: readonly string[]): void {
  const errors = nodes.flatMap((node, at): SpecProblem[] => {
    const message = 'nothing of the run is left to do on this node';
    return left.includes(node) ? [] : [{ path: `/nodes/${at}`, code: 'not_left', message }];
  });
  if (errors.length === 0) return;
  throw new DeployError('unprocessable', 'Nodes have nothing left to do.', { errors });
}

/** The secrets of a plan. @throws DeployError `unprocessable` */
export async function secretsFor(
  { next }: StoredNext,
  parts: { readonly store: DeployStore; readonly blobs: Blobs; readonly secretsDir: string },
): Promise<Secrets> {
  const secrets = await readSecrets(parts.secretsDir, next, parts.blobs);
  if (!areRead(secrets)) {
    throw new DeployError('unprocessable', 'Secrets cannot be read.', { errors: secrets });
  }
  if (!isSameHash(parts.store.applied.hash_check, secrets, next)) {
    const message =
      'The prefix or suffix of hashes is not what it was when the cluster was made: nothing would be found.';
    throw new DeployError('unprocessable', message);
  }
  return secrets;
}
