import { randomBytes } from 'node:crypto';
import { replicaCount } from '../../../../src/ring/ring-data.js';
import type { NodeDriver } from '../../../nodes/driver.js';
import type { ConsoleOptions } from '../../../config/load.js';
import { ApiError } from '../../../server/api-error.js';
import type { RunActor, RunView, WholeRun } from '../../../server/runs/run.js';
import { RunCollection } from '../../../server/runs/run-collection.js';
import type { Runs } from '../../../server/runs/runs.js';
import type { SwiftAccount } from '../../../swift/account.js';
import type { LabRings } from '../ground/lab-rings.js';
import type { NodeReader } from '../ground/node-reader.js';
import { needMutations, sessionGone } from '../ground/refusals.js';
import type { FaultControl } from '../net/fault.js';
import type { FaultNet } from '../net/fault-net.js';
import { impactOf, noForce, unsafe } from '../node/impact.js';
import {
  catalogueOf,
  STORAGE_SERVICES,
  TTL_S,
  type CatalogueFacts,
  type CatalogueItem,
} from './catalogue.js';
import { ChaosRun, TTL_RESERVE_S } from './chaos-run.js';
import type { ChaosParams, ChaosView } from './chaos-view.js';
import { ClusterWatch, type NamedServer } from './cluster-health.js';
import type { ActiveFault } from './fault.js';
import type { FaultGround } from './ground.js';
import { CHAOS_PREFIX, LabContainer, removeFormer } from './lab-container.js';
import { localDevices } from './local-device.js';
import { ObjectFault } from './object-fault.js';
import { Prober } from './prober.js';
import { childrenOf } from '../../../nodes/processes.js';
import { QuotaFault } from './quota-fault.js';
import { ServiceFault } from './service-fault.js';

export type ChaosRunRow = RunView<ChaosParams>;
export type ChaosWholeRun = WholeRun<ChaosParams, ChaosView, ChaosView>;

/** The request of an operator. */
export type ChaosRequest = Readonly<{
  fault: string;
  target: string;
  mode: string;
  hold_s: number | null;
  ttl_s: number;
  /** The target, typed once more. */
  confirm: string;
  /** Break it although partitions lose their quorum: on labs. */
  force: boolean;
}>;

/** The store as the user who starts a run. */
export interface ChaosUser {
  readonly account: SwiftAccount;
  /** Whether the store says that it has quotas of containers. */
  readonly hasQuotas: boolean;
}

export interface ChaosOptions {
  readonly options: Pick<
    ConsoleOptions,
    'clusterNodes' | 'storeDir' | 'hashConf' | 'nodeRoot' | 'nodeDriver' | 'labMutations'
  >;
  readonly net: FaultNet;
  readonly runs: Runs;
  readonly rings: LabRings;
  readonly nodes: NodeReader;
  readonly now: () => number;
}

const KIND = 'lab.chaos';
const STEADY_S = 10;
const REPAIR_S = 180;
/** So many names are tried for a container whose databases lie well. */
const NAMES_TRIED = 200;
/** Drivers with which nothing stands still: a server of another host is not reached by a signal. */
const PAUSING: readonly string[] = ['local-procs', 'local-systemd', 'ssh'];

/** Faults on purpose, one at a time, over the net that takes them back. */
export class ChaosRuns extends RunCollection<ChaosParams, ChaosView, ChaosView> {
  readonly #watch: ClusterWatch;
  #active: { readonly id: string; readonly run: ChaosRun } | undefined;

  constructor(private readonly given: ChaosOptions) {
    super(given.runs, KIND);
    this.#watch = new ClusterWatch(given.options);
    given.net.register<ChaosParams, ChaosView, SwiftAccount>({
      name: KIND,
      kept: 20,
      holds: false,
      run: (control) => this.#run(control),
    });
  }

  /** All faults, with what each needs that is not there. */
  async catalogue(hasQuotas: boolean): Promise<readonly CatalogueItem[]> {
    return catalogueOf(await this.#facts(hasQuotas));
  }

  /**
   * @throws ApiError feature_disabled, unprocessable, unsupported_here with what is missing,
   *   precondition_failed for a target that was not typed again; unsafe_quorum; what the net throws
   */
  async start(request: ChaosRequest, user: ChaosUser, by: RunActor): Promise<ChaosRunRow> {
    needMutations(this.given.options);
    const item = (await this.catalogue(user.hasQuotas)).find(({ id }) => id === request.fault);
    const { target, mode, ttl_s: ttlS } = request;
    if (item === undefined) throw new ApiError('not_found', 'Fault not found.');
    if (item.needs !== null) {
      throw new ApiError('unsupported_here', `${item.title} requires ${item.needs}.`, {
        needs: item.needs,
      });
    }
    if (ttlS < TTL_S.min || ttlS > TTL_S.max) {
      const text = `The auto-revert time (ttl_s) must be from ${TTL_S.min} to ${TTL_S.max} seconds.`;
      throw new ApiError('unprocessable', text, { field: 'ttl_s' });
    }
    if (!item.targets.some(({ id }) => id === target)) {
      throw new ApiError('unprocessable', 'Invalid target for this fault.', { field: 'target' });
    }
    if (item.modes.length > 0 && !item.modes.some(({ id }) => id === mode)) {
      throw new ApiError('unprocessable', 'Unknown mode for this fault.', { field: 'mode' });
    }
    if (request.confirm !== target) {
      throw new ApiError('precondition_failed', 'Type the target name to confirm.', {
        field: 'confirm',
      });
    }
    await this.#refuseUnsafe(request);
    const most = mode === 'full' ? FULL_PAUSE_S : item.hold_s_max;
    const holdS = Math.min(request.hold_s ?? item.hold_s, most, ttlS - TTL_RESERVE_S);
    const container = await this.#containerFor(target, user.account);
    const params: ChaosParams = {
      ...{ fault: item.id, target, mode, container, hold_s: holdS, ttl_s: ttlS },
      ...{ steady_s: STEADY_S, repair_s: REPAIR_S, repair_target_s: item.repair_target_s },
    };
    const given = { params, target, ttlS, means: user.account };
    return this.given.net.start<ChaosParams>(KIND, given, by);
  }

  /** Whether a fault may take a quorum away. */
  get canForce(): boolean {
    return this.given.options.nodeDriver === 'local-procs';
  }

  /** Ends what is held; the repair is watched all the same. @throws ApiError not_found */
  abort(id: string): void {
    if (this.#active?.id !== id) {
      throw new ApiError('not_found', 'Run not found, or it has already finished.');
    }
    this.#active.run.abort('operator');
  }

  close(): void {
    this.#watch.close();
  }

  /** A storage server that is away, or stands still, is missed by each partition that it has. */
  async #refuseUnsafe({ fault, target, force }: ChaosRequest): Promise<void> {
    if (force && !this.canForce) throw noForce();
    if (force || (fault !== 'stop_service' && fault !== 'pause_node')) return;
    const [node = '', service = ''] = target.split('/');
    const { options, rings } = this.given;
    const ip = options.clusterNodes.find(({ name }) => name === node)?.storage_ip ?? '';
    const type = service.replace('-server', '');
    const isOfType = (ringName: string): boolean => ringName.split('-')[0] === type;
    const impact = await impactOf(rings, node, [], new Set([ip]), isOfType);
    if (!impact.safe) throw unsafe(`${service} on ${node}`, impact);
  }

  async #run(control: FaultControl<ChaosParams, SwiftAccount>): Promise<ChaosView> {
    const { id, params, signal, progress, means: account } = control;
    if (account === undefined) throw sessionGone();
    const { rings, nodes, options, now } = this.given;
    const containerOf = (name: string) => new LabContainer({ account, rings, nodes, name });
    const container = containerOf(params.container);
    const begunMs = performance.now();
    const elapsedMs = (): number => performance.now() - begunMs;
    const prober = new Prober(id, container, elapsedMs);
    const ground: FaultGround = {
      ...{ control, driver: this.#driver, options, container, watch: this.#watch },
      ...{ ttlS: params.ttl_s, probeKeys: prober.keys },
    };
    const fault = faultOf(params, ground, containerOf);
    const isExpected = ({ node, type }: NamedServer) => params.target === `${node}/${type}-server`;
    // The fault's own server is missed only before it, and after it.
    let isHeld = false;
    const run = new ChaosRun({
      ...{ params, fault, prober, elapsedMs, now },
      health: () => this.#watch.look((server) => isHeld && isExpected(server)),
      onChange: (view) => {
        isHeld = view.phase !== 'preflight';
        progress(Math.floor(view.t_s), null, view);
      },
    });
    this.#active = { id, run };
    try {
      await removeFormer(account, params.container);
      return await run.run(signal);
    } finally {
      this.#active = undefined;
    }
  }

  async #facts(hasQuotas: boolean): Promise<CatalogueFacts> {
    const { options, rings } = this.given;
    const { clusterNodes, storeDir, nodeDriver, labMutations } = options;
    const driver = this.#driver;
    const offered: readonly string[] = [...STORAGE_SERVICES, 'memcached', 'proxy-server'];
    const services =
      driver === undefined
        ? []
        : clusterNodes.flatMap((node) =>
            driver
              .services(node)
              .filter((service) => offered.includes(service))
              .map((service) => ({ node: node.name, service })),
          );
    const hasRings = storeDir !== '';
    const ring = hasRings ? await rings.open('object').catch(() => undefined) : undefined;
    return {
      has_mutations: labMutations,
      driver: nodeDriver,
      has_roster: clusterNodes.length > 0,
      has_rings: hasRings,
      services,
      pauses: PAUSING.includes(nodeDriver),
      has_local_devices: (await localDevices(options)).length > 0,
      has_quotas: hasQuotas,
      replicas: ring === undefined ? 0 : Math.ceil(replicaCount(ring.read.data.rows)),
      proxy_workers: await this.#proxyWorkers(services),
    };
  }

  get #driver(): NodeDriver | undefined {
    const { net, options } = this.given;
    return options.nodeDriver === 'none' ? undefined : net.tools.driver;
  }

  async #proxyWorkers(services: CatalogueFacts['services']): Promise<number | null> {
    const { options } = this.given;
    const found = services.find(({ service }) => service === 'proxy-server');
    const node = options.clusterNodes.find(({ name }) => name === found?.node);
    const driver = this.#driver;
    if (node === undefined || driver === undefined) return null;
    const [status] = await driver.status(node, ['proxy-server']).catch(() => []);
    const pid = status?.pid ?? null;
    return pid === null ? null : (await childrenOf(pid)).length;
  }

  /**
   * A name for the container of a run. One of whose databases only one is on the node that loses a
   * server: then each PUT owes one update there.
   */
  async #containerFor(target: string, account: SwiftAccount): Promise<string> {
    const { rings, nodes, options } = this.given;
    const newName = (): string => `${CHAOS_PREFIX}${randomBytes(4).toString('hex')}`;
    const ip = options.clusterNodes.find(({ name }) => target.startsWith(`${name}/`))?.storage_ip;
    if (ip === undefined) return newName();
    for (let tries = 0; tries < NAMES_TRIED; tries++) {
      const name = newName();
      const { places } = await new LabContainer({ account, rings, nodes, name }).databases();
      if (places.filter(({ device }) => device.ip === ip).length === 1) return name;
    }
    return newName();
  }
}

/** console.md 7.5: a server that stands still for longer is taken for dead. */
const FULL_PAUSE_S = 15;

function faultOf(
  { fault, target, mode, container }: ChaosParams,
  ground: FaultGround,
  containerOf: (name: string) => LabContainer,
): ActiveFault {
  switch (fault) {
    case 'stop_service':
    case 'pause_node':
    case 'drop_memcached':
    case 'kill_worker':
      return new ServiceFault(fault, target, mode, ground);
    case 'corrupt_replica':
    case 'remove_replica':
      return new ObjectFault(fault, target, mode, ground);
    case 'fill_quota':
      return new QuotaFault(containerOf(`${container}-full`), ground);
    default:
      throw new ApiError('not_found', 'Fault not found.');
  }
}
