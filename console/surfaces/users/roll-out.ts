import type { Journal } from './journal.js';
import type { Expected, ProxyProbe } from './probe.js';
import { NodeError, type ProxyNode, type Replacement } from './proxy-node.js';
import { SCRIPT_STATUS } from './scripts.js';

/** The plan for one node. */
export interface NodePlan {
  readonly node: ProxyNode;
  readonly replacement: Replacement;
  readonly text: string;
  /** The proxy can be asked whether it would take it. */
  readonly isTested: boolean;
}

/**
 * - `ok`: changed, and the proxy goes by it
 * - `reverted`: changed, and back to what it was
 * - `untouched`: never changed
 * - `stuck`: changed, and its file or its proxy could not be brought back; the next change tries
 *   again
 */
export interface NodeOutcome {
  readonly node: string;
  readonly state: 'ok' | 'reverted' | 'untouched' | 'stuck';
  readonly before_sha256: string;
  /** Null where the node did not tell. */
  readonly after_sha256: string | null;
  readonly reason?: string;
}

export interface RollOutOptions {
  readonly target: string;
  readonly expected: Expected;
  readonly probe: ProxyProbe;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
  /** Called with errors that are no failure of a node. */
  readonly onError: (error: unknown) => void;
}

/**
 * Changes one node after the other. When one fails, all go back to what they were: nodes that
 * disagree would know a user or not by chance.
 */
export async function rollOut(
  plans: readonly NodePlan[],
  options: RollOutOptions,
): Promise<NodeOutcome[]> {
  const { journal, target, signal, onProgress } = options;
  await journal.begin({ v: 1, target, nodes: plans.map((plan) => entryOf(plan)) });
  const outcomes = new Map<NodePlan, NodeOutcome>();
  const begun: NodePlan[] = [];
  let failure: { readonly plan: NodePlan; readonly reason: string } | undefined;
  for (const plan of plans) {
    try {
      if (signal.aborted) throw new NodeError(plan.node.name, undefined, 'Cancelled.');
      begun.unshift(plan);
      await plan.node
        .replace(plan.replacement, plan.text, plan.isTested)
        .catch((error: unknown) => {
          // It said itself that it left all as it was.
          if (error instanceof NodeError && error.isRefusal) begun.shift();
          throw error;
        });
      await plan.node.reload();
      await options.probe.settle(plan.node.name, options.expected);
    } catch (error) {
      if (!(error instanceof NodeError)) options.onError(error);
      failure = { plan, reason: reasonOf(error) };
      break;
    }
    outcomes.set(plan, outcomeOf(plan, 'ok'));
    onProgress(outcomes.size);
  }
  if (failure !== undefined) {
    for (const plan of begun) outcomes.set(plan, await takeBack(plan, options));
    const { plan, reason } = failure;
    outcomes.set(plan, { ...(outcomes.get(plan) ?? outcomeOf(plan, 'untouched')), reason });
  }
  const all = plans.map((plan) => outcomes.get(plan) ?? outcomeOf(plan, 'untouched'));
  // A stuck node is tried again: the journal stays.
  if (all.every(({ state }) => state !== 'stuck')) await journal.end();
  return all;
}

async function takeBack(plan: NodePlan, { onError }: RollOutOptions): Promise<NodeOutcome> {
  const { node, replacement } = plan;
  let isBack = false;
  try {
    const wasChanged = await node.restore(replacement);
    isBack = true;
    if (wasChanged) await node.reload();
    return outcomeOf(plan, wasChanged ? 'reverted' : 'untouched');
  } catch (error) {
    if (!(error instanceof NodeError)) onError(error);
    const reason = reasonOf(error);
    return {
      ...outcomeOf(plan, 'stuck'),
      after_sha256: isBack ? replacement.beforeSha256 : null,
      reason: isBack ? `The file was restored, but the proxy was not reloaded. ${reason}` : reason,
    };
  }
}

/**
 * Takes back a change that a crash, or a node that could not be reached, has left.
 * @returns nodes on which it still is
 */
export async function recover(
  journal: Journal,
  nodes: readonly ProxyNode[],
): Promise<{ readonly target: string; readonly stuck: readonly string[] } | undefined> {
  const record = await journal.read();
  if (record === undefined) return undefined;
  const stuck: string[] = [];
  for (const entry of record.nodes) {
    const node = nodes.find(({ name }) => name === entry.node);
    // A node that is no longer one of the proxies is not brought back.
    if (node === undefined) continue;
    const { before_sha256: beforeSha256, after_sha256: afterSha256, stamp } = entry;
    try {
      await node.restore({ beforeSha256, afterSha256, stamp });
      // Reloaded also when the file is back already: its proxy may only have loaded the change.
      await node.reload();
    } catch (error) {
      // A file that was changed since by another operator stays as it is.
      const isSettled = error instanceof NodeError && error.status === SCRIPT_STATUS.changed;
      if (!isSettled) stuck.push(entry.node);
    }
  }
  if (stuck.length === 0) await journal.end();
  return { target: record.target, stuck };
}

function entryOf({ node, replacement }: NodePlan) {
  const { beforeSha256, afterSha256, stamp } = replacement;
  return { node: node.name, before_sha256: beforeSha256, after_sha256: afterSha256, stamp };
}

function outcomeOf({ node, replacement }: NodePlan, state: NodeOutcome['state']): NodeOutcome {
  const { beforeSha256, afterSha256 } = replacement;
  return {
    node: node.name,
    state,
    before_sha256: beforeSha256,
    after_sha256: state === 'ok' ? afterSha256 : beforeSha256,
  };
}

function reasonOf(error: unknown): string {
  return error instanceof NodeError ? error.message : 'Internal error. See the console log.';
}
