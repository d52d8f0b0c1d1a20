import { randomBytes } from 'node:crypto';
import { mapLimited } from '../../../src/lib/promises.js';
import { loginName, type RosterEntry } from '../../config/keys.js';
import { makeShell } from '../../nodes/shell.js';
import { ApiError } from '../../server/api-error.js';
import type { ConsoleContext } from '../../server/context.js';
import type { JobControl } from '../../server/jobs.js';
import type { SurfaceService } from '../../server/surface.js';
import { parseUpstream } from '../../swift/address.js';
import { readConf, type ConfFile } from './conf-file.js';
import { differences } from './differences.js';
import { editConf, type EditedConf } from './edit-conf.js';
import { Journal } from './journal.js';
import { admitChange, admitEdit } from './policy.js';
import { ProxyProbe } from './probe.js';
import { recoverUsers } from './recovery.js';
import { asApiError, ProxyNode, sha256 } from './proxy-node.js';
import { recover, rollOut, type NodeOutcome, type NodePlan } from './roll-out.js';
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

const NODES_AT_A_TIME = 8;
/** Stands for a key in a preview, which makes none. */
const NO_KEY = 'not-made-before-it-is-needed';

/** A change that was admitted, ready to be carried out. */
export interface PreparedChange {
  /** The new key, shown once to the user who made the change; empty when the change makes none. */
  readonly key: string;
  /** @param onEnd records what became of it, however it ended: before anything else begins */
  run(
    control: JobControl,
    onEnd: (nodes: readonly NodeOutcome[]) => Promise<void>,
  ): Promise<readonly NodeOutcome[]>;
}

/** Reads and changes the users in the proxies' configuration, one change at a time. */
export class UserAdmin implements SurfaceService {
  readonly #nodes: readonly ProxyNode[];
  readonly #probe: ProxyProbe;
  readonly #journal: Journal;
  #isBusy = false;
  #recovering: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly context: Pick<ConsoleContext, 'options' | 'audit' | 'logger' | 'now'>,
    { ssh, settleTimeoutMs }: UserAdminOptions = USER_ADMIN,
  ) {
    const { options } = context;
    const shell = makeShell({
      ssh: options.nodeDriver === 'ssh' ? ssh : undefined,
      outputBytesMax: CONF_BYTES_MAX,
    });
    this.#nodes = options.proxyNodes.map((name) => new ProxyNode(name, options, shell));
    this.#probe = new ProxyProbe({
      port: options.proxyPort,
      authPath: parseUpstream(options.authUrl).basePath,
      timeoutMs: settleTimeoutMs,
    });
    this.#journal = new Journal(options.stateDir);
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
    this.#refuseWhileBusy();
    return edits(actor, await this.read(), change, NO_KEY).map(({ file, edited }) => ({
      node: file.node,
      sha256: file.sha256,
      diff: edited.diff,
    }));
  }

  /**
   * Checks a change against what the nodes have now. When they have something else as soon as it
   * runs, it fails at the first node.
   * @param base digests of the configurations that the user has seen, by node
   * @throws ApiError
   */
  async prepare(
    actor: RosterEntry,
    change: UserChange,
    base: Readonly<Record<string, string>>,
  ): Promise<PreparedChange> {
    admitChange(actor, change);
    await this.#alone(() => this.#settleFormer());
    const key = makesKey(change) ? newKey() : '';
    const files = await this.read();
    if (files.some(({ node, sha256: found }) => base[node] !== found)) {
      throw new ApiError(
        'precondition_failed',
        'The configuration has changed. Refresh and try again.',
      );
    }
    const changes = edits(actor, files, change, key);
    return {
      key,
      run: async (control, onEnd) => {
        try {
          this.#refuseWhileBusy();
        } catch (error) {
          await onEnd([]);
          throw error;
        }
        return this.#alone(async () => {
          let nodes: readonly NodeOutcome[] = [];
          try {
            // Since this change was prepared, another one may have got stuck: its journal says how it
            // is taken back, and this one's would replace it.
            await this.#settleFormer();
            nodes = await this.#run(change, changes, control);
          } finally {
            await onEnd(nodes);
          }
          return nodes;
        });
      },
    };
  }

  /**
   * Takes back what a crash has left.
   * @returns what it was about, and where it still is; undefined when there is nothing
   */
  recover() {
    return this.#alone(() => recover(this.#journal, this.#nodes));
  }

  /** Takes back what a crash has left; pages need not wait for that. */
  begin(turn: () => Promise<boolean>): void {
    this.#recovering = recoverUsers(this, this.context, turn);
  }

  /** Resolves when what is under way has come to its end, or back from where it was. */
  async close(): Promise<void> {
    await this.#recovering;
    await this.#last;
  }

  /** @throws ApiError locked while another change, or its way back, is under way */
  async #alone<T>(task: () => Promise<T>): Promise<T> {
    this.#refuseWhileBusy();
    this.#isBusy = true;
    const done = task();
    this.#last = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      this.#isBusy = false;
    }
  }

  #refuseWhileBusy(): void {
    if (this.#isBusy)
      throw new ApiError(
        'locked',
        'Another change is in progress. Try again in a few seconds.',
        undefined,
        10,
      );
  }

  async #settleFormer(): Promise<void> {
    const former = await recover(this.#journal, this.#nodes);
    if (former === undefined || former.stuck.length === 0) return;
    throw new ApiError(
      'conflict',
      `An earlier change could not be reverted on ${former.stuck.join(', ')}.`,
      {
        nodes: former.stuck,
      },
    );
  }

  async #run(
    change: UserChange,
    changes: readonly Edit[],
    control: JobControl,
  ): Promise<readonly NodeOutcome[]> {
    const stamp = stampOf(this.context.now());
    const plans = changes.flatMap(({ file, edited }): NodePlan[] => {
      const node = this.#nodes.find(({ name }) => name === file.node);
      if (node === undefined) return [];
      const digests = { beforeSha256: file.sha256, afterSha256: sha256(edited.text) };
      const { hasPipeline } = file.conf;
      return [
        { node, replacement: { ...digests, stamp }, text: edited.text, isTested: hasPipeline },
      ];
    });
    const [first] = changes;
    const known = first?.edited.after ?? first?.edited.before;
    const name = loginName(change);
    return rollOut(plans, {
      target: name,
      expected: { name, key: known?.key ?? '', isKnown: change.action !== 'remove' },
      probe: this.#probe,
      journal: this.#journal,
      signal: control.signal,
      onProgress: (done) => {
        control.progress(done, plans.length);
      },
      onError: (error) => {
        this.context.logger.error({ err: error }, 'change of users failed');
      },
    });
  }
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
