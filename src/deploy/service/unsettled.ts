import type { StoredNext } from './planner-protocol.js';
import type { Run, Step, Unsettled } from './run-record.js';
import type { DeployStore } from './store.js';

/**
 * Nodes that have files of runs that did not succeed since the state in force was: what a plan has
 * for them compares with that state, and says nothing where it is the same.
 *
 * @param runs - all of them, the latest first
 * @throws system errors
 */
export async function unsettledNodes(
  runs: readonly Run[],
  { next }: StoredNext,
  store: Pick<DeployStore, 'appliedEtag' | 'nextOf'>,
): Promise<Map<string, Unsettled>> {
  const sinceS = runs.find(({ state }) => state === 'succeeded')?.created_unix_s ?? 0;
  const found = new Map<string, Unsettled>();
  for (const run of runs) {
    // Those of its second are looked at, too: that costs no more than a look at their nodes.
    if (run.state === 'succeeded' || run.created_unix_s < sinceS) continue;
    if (run.base_etag !== store.appliedEtag) continue;
    const begun = installsBegun(run).filter(({ node }) => Object.hasOwn(next.files, node));
    if (begun.length === 0) continue;
    const { files } = (await store.nextOf(run.plan_id)).next;
    for (const { node } of begun) {
      const left: Unsettled = found.get(node) ?? { files: new Map(), commands: new Set() };
      found.set(node, left);
      for (const [path, file] of Object.entries(files[node] ?? {})) {
        left.files.set(path, [...(left.files.get(path) ?? []), file]);
      }
      const own = run.steps.filter((step) => step.node === node);
      for (const command of own.flatMap(({ commands }) => commands)) left.commands.add(command);
    }
  }
  return found;
}

/**
 * The last run, where it has ended without success and nodes may have files of it.
 *
 * @param runs - all of them, the latest first
 */
export function unsettledRun(
  runs: readonly Run[],
  { appliedEtag }: Pick<DeployStore, 'appliedEtag'>,
): Run | undefined {
  for (const run of runs) {
    // One that goes on may yet settle what others have left.
    if (run.state === 'succeeded' || run.state === 'running') return undefined;
    if (run.base_etag === appliedEtag && installsBegun(run).length > 0) return run;
  }
  return undefined;
}

function installsBegun({ steps }: Run): readonly Step[] {
  return steps.filter(
    ({ action, state }) => action === 'install' && state !== 'pending' && state !== 'cancelled',
  );
}
