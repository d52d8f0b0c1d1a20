import type { Logger } from '../../../src/telemetry/logger.js';
import { ApiError } from '../../server/api-error.js';
import type { RunControl, RunEntry, RunKind } from '../../server/runs/run.js';
import type { Expected, ProxyProbe } from './probe.js';
import { asApiError, NodeError, type NodeDigests, type ProxyNode } from './proxy-node.js';
import { SCRIPT_STATUS } from './scripts.js';
import type { UserChange } from './user-change.js';

/** A change in the journal of runs. No key is in it. */
export type ChangeParams = Readonly<{
  /** Stands in the names of its backups. */
  stamp: string;
  /** In the order in which they are changed. */
  nodes: readonly NodeDigests[];
}>;

/** Values that a change needs besides, and no journal may hold. */
export interface ChangeMeans {
  readonly expected: Expected;
  /** The new configurations by node, and whether the proxy can be asked if it would take one. */
  readonly texts: ReadonlyMap<string, { readonly text: string; readonly isTested: boolean }>;
  /** Called when all nodes are changed. */
  readonly onChanged: () => void;
}

/**
 * - `ok`: changed, and the proxy goes by it
 * - `begun`: perhaps changed
 * - `reverted`: changed, and back to what it was
 * - `untouched`: never changed
 * - `stuck`: changed, and its file or its proxy could not be brought back; it is tried again
 */
export type NodeState = 'ok' | 'begun' | 'reverted' | 'untouched' | 'stuck';

interface NodeNote {
  readonly state: NodeState;
  readonly reason?: string;
  /** True where the file of a stuck node is back, and its proxy is still to be reloaded. */
  readonly isBack?: boolean;
}

/** The names of about a hundred proxies in a record of the audit log. */
const STATES_LENGTH_MAX = 4096;

/** The notes of a change that did not succeed, by node. */
type Evidence = Readonly<Record<string, NodeNote>>;

export interface NodeOutcome extends Omit<NodeDigests, 'after_sha256'> {
  readonly state: NodeState;
  /** Null where it is not known. */
  readonly after_sha256: string | null;
  readonly reason?: string;
}

type Control = RunControl<ChangeParams, ChangeMeans>;

/**
 * Changes one node after the other. When one fails, all go back to what they were: nodes that
 * disagree would know a user or not by chance.
 */
export class UserChanges {
  constructor(
    private readonly nodes: readonly ProxyNode[],
    private readonly probe: ProxyProbe,
    private readonly logger: Pick<Logger, 'error'>,
  ) {}

  kind(action: UserChange['action']): RunKind<ChangeParams, null, ChangeMeans> {
    return {
      name: `users.${action}`,
      access: 'manage',
      kept: 10,
      resumes: false,
      returnsWhole: true,
      isQuiet: true,
      run: (control) => this.#run(control),
      revert: (control) => this.#revert(control),
      outcome: (ended) => ({ nodes: statesOf(ended) }),
    };
  }

  async #run({ params, means, signal, progress, note }: Control): Promise<null> {
    if (means === undefined) throw new Error('a change of users does not go on by itself');
    let done = 0;
    for (const digests of params.nodes) {
      const { node } = digests;
      try {
        if (signal.aborted) throw new NodeError(node, undefined, 'Cancelled.', true);
        await this.#change(digests, params.stamp, means);
      } catch (error) {
        const evidence = failedAt(node, error, params.nodes);
        // The end of the console aborts it too: nodes that disagree are not left until the next start.
        const isCut = signal.aborted;
        await note(isCut ? await this.#takeAllBack(params, evidence, false) : evidence);
        throw asApiError(error);
      }
      done += 1;
      progress(done, params.nodes.length);
    }
    means.onChanged();
    return null;
  }

  async #change(digests: NodeDigests, stamp: string, means: ChangeMeans): Promise<void> {
    const node = this.nodes.find(({ name }) => name === digests.node);
    const file = means.texts.get(digests.node);
    if (node === undefined || file === undefined) throw new Error(`no such proxy: ${digests.node}`);
    await node.replace(digests, stamp, file.text, file.isTested);
    await node.reload();
    await this.probe.settle(node.name, means.expected);
  }

  async #revert({ params, evidence, isResumed, note }: RunControl<ChangeParams>): Promise<void> {
    // Without notes, all nodes are taken for changed.
    const isAgain = isResumed || evidence === null;
    const notes = await this.#takeAllBack(params, (evidence ?? {}) as Evidence, isAgain);
    await note(notes);
    const stuck = Object.values(notes).filter(({ state }) => state === 'stuck').length;
    if (stuck === 0) return;
    throw new ApiError('conflict', `The change could not be reverted on ${proxies(stuck)}.`);
  }

  /** @param isAgain a file may be back while its proxy has loaded the change */
  async #takeAllBack(
    { stamp, nodes }: ChangeParams,
    former: Evidence,
    isAgain: boolean,
  ): Promise<Evidence> {
    const notes: Record<string, NodeNote> = {};
    for (const digests of nodes) {
      const noted = former[digests.node] ?? { state: 'begun' };
      const wasStuck = noted.state === 'stuck';
      const why = wasStuck ? {} : noted;
      notes[digests.node] =
        wasStuck || noted.state === 'begun'
          ? { ...why, ...(await this.#takeBack(digests, stamp, noted, isAgain || wasStuck)) }
          : noted;
    }
    return notes;
  }

  async #takeBack(
    digests: NodeDigests,
    stamp: string,
    noted: NodeNote,
    isAgain: boolean,
  ): Promise<NodeNote> {
    const node = this.nodes.find(({ name }) => name === digests.node);
    // A node that is no longer one of the proxies is not brought back.
    if (node === undefined) return { state: 'untouched' };
    let isBack = false;
    try {
      const wasChanged = await node.restore(digests, stamp);
      isBack = true;
      if (wasChanged || isAgain) await node.reload();
      return { state: wasChanged || noted.state === 'stuck' ? 'reverted' : 'untouched' };
    } catch (error) {
      if (!(error instanceof NodeError)) this.logger.error({ err: error }, 'a node is stuck');
      // A file that another operator has changed since stays as it is.
      const isChanged = error instanceof NodeError && error.status === SCRIPT_STATUS.changed;
      if (isAgain && isChanged) return { state: 'untouched' };
      const why = isBack ? 'The file was restored, but the proxy was not reloaded. ' : '';
      return { state: 'stuck', reason: `${why}${reasonOf(error)}`, isBack };
    }
  }
}

/** The notes of a change that failed at a node: those before it are to be taken back. */
function failedAt(failed: string, error: unknown, nodes: readonly NodeDigests[]): Evidence {
  const at = nodes.findIndex(({ node }) => node === failed);
  const isUntouched = error instanceof NodeError && error.isUntouched;
  const reason = reasonOf(error);
  return Object.fromEntries(
    nodes.map(({ node }, i): [string, NodeNote] => {
      if (i === at) return [node, { state: isUntouched ? 'untouched' : 'begun', reason }];
      return [node, { state: i < at ? 'begun' : 'untouched' }];
    }),
  );
}

function reasonOf(error: unknown): string {
  return error instanceof NodeError ? error.message : 'Internal error. See the console log.';
}

/** A number of proxies: their addresses are for operators alone. */
export function proxies(count: number): string {
  return count === 1 ? '1 proxy' : `${count} proxies`;
}

/** The outcome of a change on each node, as far as it has come. */
export function outcomesOf({
  params,
  state,
  evidence,
}: Pick<RunEntry, 'params' | 'state' | 'evidence'>): NodeOutcome[] {
  const notes = (evidence ?? {}) as Evidence;
  return (params as ChangeParams).nodes.map(({ node, before_sha256, after_sha256 }) => {
    const noted: NodeNote =
      state === 'done' ? { state: 'ok' } : (notes[node] ?? { state: 'begun' });
    const { reason, isBack = false } = noted;
    const isOpen = noted.state === 'begun' || (noted.state === 'stuck' && !isBack);
    const now = noted.state === 'ok' ? after_sha256 : before_sha256;
    return {
      node,
      state: noted.state,
      before_sha256,
      after_sha256: isOpen ? null : now,
      ...(reason === undefined ? {} : { reason }),
    };
  });
}

/** The states of the nodes, stuck ones first. */
function statesOf(entry: RunEntry): string {
  const { params, evidence, state } = entry;
  return outcomesOf({ params, evidence, state })
    .sort((a, b) => Number(b.state === 'stuck') - Number(a.state === 'stuck'))
    .map((one) => `${one.node}=${one.state}`)
    .join(' ')
    .slice(0, STATES_LENGTH_MAX);
}
