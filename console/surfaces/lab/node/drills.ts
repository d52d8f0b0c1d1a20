import { randomBytes } from 'node:crypto';
import type { ConsoleOptions } from '../../../config/load.js';
import type { ClusterNode } from '../../../nodes/driver.js';
import { STORAGE_SERVERS } from '../../../nodes/storage-services.js';
import * as facts from '../../../recon/node-facts.js';
import { ReconClient } from '../../../recon/recon-client.js';
import { ApiError } from '../../../server/api-error.js';
import { isOver, type RunActor, type RunView, type WholeRun } from '../../../server/runs/run.js';
import { RunCollection } from '../../../server/runs/run-collection.js';
import type { Runs } from '../../../server/runs/runs.js';
import type { SwiftAccount } from '../../../swift/account.js';
import { removeFormer } from '../chaos/lab-container.js';
import type { LabRings } from '../ground/lab-rings.js';
import { checkTtl, netOf, type FaultNet } from '../net/fault-net.js';
import type { NetEntry } from '../net/net-journal.js';
import { ClientProbes, DRILL_PREFIX } from './client-probes.js';
import { countDisks } from './disk-counts.js';
import { DRILL, drillKind, stopOrder, type DrillParams, type DrillReport } from './drill.js';
import { impactOf, noForce, unsafe, type Impact } from './impact.js';
import { NodeWatch, type NodeSight } from './node-watch.js';

export interface NodeStatus extends Omit<NodeSight, 'state'> {
  readonly state: NodeSight['state'] | 'stopping' | 'held_down' | 'starting';
  readonly held: {
    readonly journal_id: string;
    readonly actor: string;
    readonly since_unix_s: number;
    readonly expires_unix_s: number;
  } | null;
  readonly cooldown_until_unix_s: number | null;
}

export interface NodeStatusView {
  readonly now_unix_s: number;
  readonly nodes: readonly NodeStatus[];
  readonly max_held: 1;
}

export type Drill = WholeRun<DrillParams, DrillReport, DrillReport>;

export interface DrillView {
  readonly run: Drill;
  /** The net's notes, oldest first. */
  readonly journal: readonly (NetEntry & { readonly unix_s: number })[];
}

export interface DrillsOptions {
  readonly options: Pick<ConsoleOptions, 'clusterNodes' | 'nodeDriver' | 'storeDir' | 'nodeRoot'>;
  readonly runs: Runs;
  readonly net: FaultNet;
  readonly rings: LabRings;
  readonly now: () => number;
}

/** The request of an operator. */
export interface DownRequest {
  readonly node: string;
  readonly ttl_secs: number;
  readonly force: boolean;
}

/** The drills of nodes: what would happen, and one at a time. */
export class Drills {
  readonly #watch: NodeWatch;
  readonly #drills: RunCollection<DrillParams, DrillReport, DrillReport>;
  readonly #recon = new ReconClient();

  constructor(private readonly given: DrillsOptions) {
    const { options, runs, rings, net, now } = given;
    this.#drills = new RunCollection(runs, DRILL, 'Drill');
    this.#watch = new NodeWatch(options, rings, net.tools);
    net.register(
      drillKind({
        tools: net.tools,
        look: () => this.#watch.look(),
        disks: () => countDisks(options.nodeRoot, options.clusterNodes, rings),
        now,
      }),
    );
  }

  async status(): Promise<NodeStatusView> {
    const [sights, cooldown] = await Promise.all([
      this.#watch.look(),
      this.given.net.cooldownUntilS(),
    ]);
    const held = this.#held();
    const nodes = sights.map((sight): NodeStatus => {
      const mine = held?.target === sight.name ? held : undefined;
      const net = netOf(mine?.evidence ?? null);
      return {
        ...sight,
        state: mine === undefined ? sight.state : heldState(mine),
        held:
          mine === undefined
            ? null
            : {
                journal_id: mine.id,
                actor: mine.actor,
                since_unix_s: mine.started_unix_s,
                expires_unix_s: net?.deadline_unix_s ?? mine.started_unix_s + mine.params.ttl_s,
              },
        cooldown_until_unix_s: cooldown ?? null,
      };
    });
    return { now_unix_s: Math.floor(this.given.now() / 1000), nodes, max_held: 1 };
  }

  /** The impact of the loss of the node. @throws ApiError unknown_node, unsupported_here */
  async impact(name: string): Promise<Impact> {
    return this.#impact(this.#watch.node(name), await this.#watch.look());
  }

  /**
   * Takes a node down.
   * @throws ApiError unknown_node, protected_service, unsupported_here, already_held,
   *   another_node_held, fault_active, cooldown, unsafe_quorum, replication_behind, conflict,
   *   unprocessable, no_space
   */
  async down(
    { node: name, ttl_secs: ttlS, force }: DownRequest,
    account: SwiftAccount,
    by: RunActor,
  ): Promise<{ readonly run: RunView<DrillParams>; readonly impact: Impact }> {
    const node = this.#watch.node(name);
    checkTtl(ttlS);
    const { net, options } = this.given;
    if (options.nodeDriver === 'none') {
      throw new ApiError('unsupported_here', 'This console cannot stop node services.', {
        needs: 'node_driver',
      });
    }
    this.#refuseHeld(name);
    await net.refuseNow();
    if (this.#watch.services(node).length === 0) {
      throw new ApiError(
        'protected_service',
        'This node has no storage services to stop. Drills never stop proxies, memcached, Deploy, the console or login services.',
      );
    }
    if (force && options.nodeDriver !== 'local-procs') throw noForce();
    const sights = await this.#watch.look();
    const impact = await this.#impact(node, sights);
    if (!impact.safe && !force) throw unsafe(name, impact);
    if (!force) await this.#refuseBehind(name);
    const active = sights
      .find((sight) => sight.name === name)
      ?.services.filter(({ state }) => state === 'active')
      .map((service) => service.name);
    const services = stopOrder(active ?? []);
    if (!services.some((service) => STORAGE_SERVERS.includes(service))) {
      throw new ApiError(
        'conflict',
        `No storage server is running on ${name}, so there is nothing to stop.`,
      );
    }
    const container = `${DRILL_PREFIX}${randomBytes(4).toString('hex')}`;
    const params = { node: name, ttl_s: ttlS, services, impact, forced: !impact.safe, container };
    const means = new ClientProbes(account, container);
    const run = await net.start<DrillParams>(DRILL, { params, target: name, ttlS, means }, by);
    // A drill that a start of the console has cut could delete nothing: it had no session any more.
    void removeFormer(account, container, 'node').catch(() => undefined);
    return { run, impact };
  }

  /**
   * Starts a node before its time.
   * @returns undefined for one that is not held down
   * @throws ApiError unknown_node, not_found
   */
  async up(
    what: { readonly node: string } | { readonly journal_id: string },
  ): Promise<RunView<DrillParams> | undefined> {
    const held = this.#held();
    if ('node' in what) {
      this.#watch.node(what.node);
      if (held?.target !== what.node) return undefined;
    } else {
      const run = await this.#drills.view(what.journal_id);
      if (isOver(run.state) || held?.id !== run.id) return undefined;
    }
    await this.given.net.end(held.id);
    return held;
  }

  /** The drills, the newest first. */
  async list(): Promise<RunView<DrillParams>[]> {
    return this.#drills.list();
  }

  /** @throws ApiError not_found */
  async get(id: string): Promise<DrillView> {
    const run = await this.#drills.get(id);
    return { run, journal: await this.given.net.journal(id) };
  }

  close(): void {
    this.#recon.close();
  }

  #held(): RunView<DrillParams> | undefined {
    const { active } = this.given.net;
    return active?.kind === DRILL ? (active as RunView<DrillParams>) : undefined;
  }

  #refuseHeld(name: string): void {
    const held = this.#held();
    if (held === undefined) return;
    const details = {
      journal_id: held.id,
      actor: held.actor,
      expires_unix_s: netOf(held.evidence)?.deadline_unix_s ?? null,
    };
    throw held.target === name
      ? new ApiError('already_held', `${name} is already down for a drill.`, details)
      : new ApiError('another_node_held', `${held.target} is down for a drill. Only one node can be down at a time.`, details); // prettier-ignore
  }

  #impact(node: ClusterNode, sights: readonly NodeSight[]): Promise<Impact> {
    const { options, rings } = this.given;
    if (options.storeDir === '') {
      const text = 'The impact is calculated from the rings, which are not available.';
      throw new ApiError('unsupported_here', text, { needs: 'store_dir' });
    }
    const away = sights.filter(
      ({ name, state }) => name !== node.name && ['failed', 'unreachable', 'degraded'].includes(state), // prettier-ignore
    );
    const ips = new Set([node.storage_ip, ...away.map(({ storage_ip: ip }) => ip)]);
    return impactOf(
      rings,
      node.name,
      away.map(({ name }) => name),
      ips,
    );
  }

  /** After a drill, replicators of the other nodes have to have made a pass before the next one. */
  async #refuseBehind(name: string): Promise<void> {
    const last = (await this.list()).find(
      ({ state, evidence }) => isOver(state) && netOf(evidence),
    );
    const sinceS = netOf(last?.evidence ?? null)?.report?.reverted_unix_s;
    if (sinceS === undefined) return;
    const { clusterNodes } = this.given.options;
    const behind = await Promise.all(
      clusterNodes
        .filter((node) => node.name !== name)
        .map(async (node) => ((await this.#lastPassS(node)) ?? 0) >= sinceS ? [] : [node.name]), // prettier-ignore
    );
    const nodes = behind.flat();
    if (nodes.length === 0) return;
    throw new ApiError(
      'replication_behind',
      'Not all nodes report a finished replication pass since the last drill. Try again later.',
      { nodes, since_unix_s: sinceS },
    );
  }

  async #lastPassS(node: ClusterNode): Promise<number | undefined> {
    const { rings } = this.given;
    for (const ringName of (await rings.names()).filter((one) => one.startsWith('object'))) {
      const { ring } = await rings.open(ringName);
      const device = ring.data.devices.find((one) => one?.ip === node.storage_ip);
      if (!device) continue;
      const answer = await this.#recon.ask(device.ip, device.port, 'replication/object');
      if (answer.kind !== 'json') return undefined;
      return facts.replication('object', answer.json).lastUnixS;
    }
    // A node without objects has no replicator of them.
    return Infinity;
  }
}

function heldState({ state, evidence }: RunView<DrillParams>): NodeStatus['state'] {
  if (state === 'stuck') return 'failed';
  const { stage } = (evidence ?? {}) as { readonly stage?: string };
  if (state === 'reverting' || stage === 'starting') return 'starting';
  return netOf(evidence)?.phase === 'held' ? 'held_down' : 'stopping';
}
