import { randomBytes } from 'node:crypto';
import { removeDurably } from '../../../src/lib/durable-file.js';
import { mapLimited } from '../../../src/lib/promises.js';
import { loginName, type RosterEntry } from '../../config/keys.js';
import { makeShell } from '../../nodes/shell.js';
import { ApiError } from '../../server/api-error.js';
import type { ConsoleContext } from '../../server/context.js';
import type { RunActor, WholeRun } from '../../server/runs/run.js';
import type { SurfaceService } from '../../server/surface.js';
import { parseUpstream } from '../../swift/address.js';
import {
  outcomesOf,
  proxies,
  UserChanges,
  type ChangeMeans,
  type ChangeParams,
} from './change-run.js';
import { readConf, type ConfFile } from './conf-file.js';
import { differences } from './differences.js';
import { editConf, type EditedConf } from './edit-conf.js';
import { formerChange, formerChangeFile } from './former-change.js';
import { admitChange, admitEdit } from './policy.js';
import { ProxyProbe } from './probe.js';
import { asApiError, ProxyNode, sha256 } from './proxy-node.js';
import { CONF_BYTES_MAX } from './scripts.js';
import { makesKey, newKey, type UserChange } from './user-change.js';

/** The configuration of one node, as it is now. */
export interface NodeConf {
  readonly node: string;
  readonly text: string;
  readonly sha256: string;
  readonly conf: ConfFile;
}

export interface UserAdminOptions {
  /** The program that reaches other hosts. */
  readonly ssh: string;
  readonly settleTimeoutMs: number;
}

export const USER_ADMIN: UserAdminOptions = { ssh: 'ssh', settleTimeoutMs: 30_000 };

const LOCK = 'users';
/** The kind of a change of an earlier build, of which only its nodes are known. */
const FORMER = 'users.change';
const ACTIONS = ['add', 'change', 'remove'] as const;
const THE_CONSOLE: RunActor = { actor: 'console', role: '', ip: '', request_id: '' };
const NODES_AT_A_TIME = 8;
/** Stands for a key in a preview, which makes none. */
const NO_KEY = 'not-made-before-it-is-needed';

/** Reads and changes the users in the proxies' configuration, one change at a time. */
export class UserAdmin implements SurfaceService {
  readonly #nodes: readonly ProxyNode[];
  readonly #changes: UserChanges;

  constructor(
    private readonly context: Pick<ConsoleContext, 'options' | 'runs' | 'logger' | 'now'>,
    { ssh, settleTimeoutMs }: UserAdminOptions = USER_ADMIN,
  ) {
    const { options, runs } = context;
    const shell = makeShell({
      ssh: options.nodeDriver === 'ssh' ? ssh : undefined,
      outputBytesMax: CONF_BYTES_MAX,
    });
    this.#nodes = options.proxyNodes.map((name) => new ProxyNode(name, options, shell));
    const probe = new ProxyProbe({
      port: options.proxyPort,
      authPath: parseUpstream(options.authUrl).basePath,
      timeoutMs: settleTimeoutMs,
    });
    this.#changes = new UserChanges(this.#nodes, probe, context.logger);
    for (const action of ACTIONS) runs.register(this.#changes.kind(action));
  }

  /** The names of nodes, in the order of the configuration. */
  get nodeNames(): readonly string[] {
    return this.#nodes.map(({ name }) => name);
  }

  /** @throws ApiError when a node cannot be read, or keeps no users */
  read(): Promise<NodeConf[]> {
    return mapLimited(this.#nodes, NODES_AT_A_TIME, async (node) => {
      try {
        const file = await node.read();
        return { node: node.name, ...file, conf: readConf(file.text) };
      } catch (error) {
        throw asApiError(error);
      }
    });
  }

  /**
   * The effect of a change, node by node.
   * @throws ApiError
   */
  async preview(actor: RosterEntry, change: UserChange) {
    admitChange(actor, change);
    // One that is stuck is tried again when the change is made.
    if (this.context.runs.holder(LOCK)?.state !== 'stuck') this.#refuseWhileLocked();
    return edits(actor, await this.read(), change, NO_KEY).map(({ file, edited }) => ({
      node: file.node,
      sha256: file.sha256,
      diff: edited.diff,
    }));
  }

  /**
   * Begins a change, once the nodes have what the user has seen. When they have something else as
   * soon as it runs, it fails at the first node.
   * @param base digests of the configurations that the user has seen, by node
   * @param onChanged called when all nodes are changed
   * @returns the run, and the new key, shown once; empty when the change makes none
   * @throws ApiError locked while another change is under way; conflict while one is stuck
   */
  async apply(
    change: UserChange,
    base: Readonly<Record<string, string>>,
    actor: RosterEntry,
    by: RunActor,
    onChanged: () => void,
  ): Promise<{ readonly id: string; readonly key: string }> {
    admitChange(actor, change);
    await this.#settleFormer();
    const key = makesKey(change) ? newKey() : '';
    const files = await this.read();
    if (files.some(({ node, sha256: found }) => base[node] !== found)) {
      throw new ApiError(
        'precondition_failed',
        'The configuration has changed. Refresh and try again.',
      );
    }
    const changes = edits(actor, files, change, key);
    const target = loginName(change);
    const [first] = changes;
    const known = first?.edited.after ?? first?.edited.before;
    const means: ChangeMeans = {
      expected: { name: target, key: known?.key ?? '', isKnown: change.action !== 'remove' },
      texts: new Map(
        changes.map(({ file, edited }) => [
          file.node,
          { text: edited.text, isTested: file.conf.hasPipeline },
        ]),
      ),
      onChanged,
    };
    const nodes = changes.map(({ file, edited }) => ({
      node: file.node,
      before_sha256: file.sha256,
      after_sha256: sha256(edited.text),
    }));
    const params: ChangeParams = { stamp: stampOf(this.context.now()), nodes };
    const request = { params, means, target, lock: LOCK };
    try {
      const { id } = await this.context.runs.start(`users.${change.action}`, request, by);
      return { id, key };
    } catch (error) {
      // The user of another change is named to operators alone.
      if (error instanceof ApiError && error.code === 'locked') throw locked();
      throw error;
    }
  }

  /** A change as the page follows it. @throws ApiError not_found */
  async change(id: string): Promise<Omit<WholeRun, 'result'>> {
    const run = await this.context.runs.view(id);
    if (run.lock !== LOCK) throw new ApiError('not_found', 'Change not found.');
    return run;
  }

  /** Takes back a change that an earlier build left unfinished. Never rejects: it is tried again. */
  async begin(turn: () => Promise<boolean>): Promise<void> {
    try {
      if (await turn()) await this.#takeOver();
    } catch (error) {
      this.context.logger.error({ err: error }, 'an unfinished change of users is left');
    }
  }

  /** Hands a change of an earlier build to the runs, which take it back. */
  async #takeOver(): Promise<void> {
    const { options, runs } = this.context;
    const file = formerChangeFile(options.stateDir);
    const former = await formerChange(file);
    if (former === undefined) return;
    const isKnown = (await runs.list(FORMER)).some(
      ({ params }) => (params as ChangeParams).stamp === former.params.stamp,
    );
    if (!isKnown) await runs.start(FORMER, { ...former, lock: LOCK }, THE_CONSOLE);
    await removeDurably(file);
  }

  /** Resolves when no node is at a step of a change. */
  async close(): Promise<void> {
    const { runs } = this.context;
    const holder = runs.holder(LOCK);
    if (holder !== undefined) await runs.ended(holder.id).catch(() => undefined);
  }

  /** @throws ApiError locked while a change, or its way back, is under way */
  #refuseWhileLocked(): void {
    if (this.context.runs.holder(LOCK) !== undefined) throw locked();
  }

  /** Tries once more to take back a change that is stuck. */
  async #settleFormer(): Promise<void> {
    const { runs } = this.context;
    await this.#takeOver();
    const former = runs.holder(LOCK);
    if (former === undefined) return;
    if (former.state !== 'stuck') this.#refuseWhileLocked();
    await runs.cancel(former.id);
    const { evidence, state, params } = await runs.ended(former.id);
    if (state !== 'stuck') return;
    const left = outcomesOf({ evidence, state, params }).filter((one) => one.state === 'stuck');
    const nodes = left.map(({ node }) => node);
    const message = `An earlier change could not be reverted on ${proxies(nodes.length)}.`;
    throw new ApiError('conflict', message, { nodes });
  }
}

function locked(): ApiError {
  const message = 'Another change is in progress. Try again in a few seconds.';
  return new ApiError('locked', message, undefined, 10);
}

interface Edit {
  readonly file: NodeConf;
  readonly edited: EditedConf;
}

/** @throws ApiError when nodes disagree, or the change may not be made */
function edits(
  actor: RosterEntry,
  files: readonly NodeConf[],
  change: UserChange,
  key: string,
): Edit[] {
  const differ = differences(files);
  if (differ.length > 0) {
    throw new ApiError('conflict', 'The proxies have different users.', {
      differences: actor.role === 'operator' ? differ : differ.map(({ node }) => ({ node })),
    });
  }
  return files.map((file) => {
    const edited = editConf(file.text, change, key);
    admitEdit(actor, file.conf.users, edited);
    return { file, edited };
  });
}

/** The stamp in the names of a change's backups. */
function stampOf(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${time}-${randomBytes(4).toString('hex')}`;
}
