import { presentDevices } from '../../../../src/ring/device.js';
import { deviceBalances } from '../../../../src/ring/ring-health.js';
import type { ConsoleOptions } from '../../../config/load.js';
import { probeNode, serversOf, type NodeState } from '../../../recon/node-probe.js';
import { placeOf, ReconClient } from '../../../recon/recon-client.js';
import { Rings } from '../../../recon/ring-devices.js';
import { ApiError } from '../../../server/api-error.js';
import type { LabRings } from '../ground/lab-rings.js';
import { reclaimAgeS } from '../ground/reclaim-age.js';
import { missingOf } from '../ground/refusals.js';
import { debtOf, type Debt, type DebtDevice } from './model.js';
import { pendingUpdates } from './pending-updates.js';
import { RateMeter } from './rates.js';
import { insolvencyOf, interestOf, type DebtSample } from './trend.js';

export interface DebtSnapshot extends Debt {
  readonly at_unix_s: number;
  readonly reclaim_age_s: number;
  /** By how much the debt grows in an hour; null until there are ten samples. */
  readonly interest_s_per_h: number | null;
  /** Seconds until the debt, or a node's lag, reaches `reclaim_age_s`; null where it never will. */
  readonly tti_s: number | null;
  /** The causes of the debt, the largest first, in sentences. */
  readonly drivers: readonly string[];
  /** The samples of the last day. */
  readonly history: readonly DebtSample[];
}

export interface DebtWatchOptions {
  readonly options: Pick<
    ConsoleOptions,
    'clusterNodes' | 'storeDir' | 'nodeRoot' | 'reconIntervalS'
  >;
  readonly rings: LabRings;
  readonly now: () => number;
}

const HISTORY_S = 86_400;
const HISTORY_MAX = 1440;
const DRIVERS_MAX = 5;

const WORDS: Readonly<Record<Debt['components'][number]['id'], string>> = {
  async: 'Container updates are pending. Check that the object-updater is running.',
  quarantine:
    'Files are quarantined: wait until replicators have restored them, then delete the quarantined files.',
  missing: 'Devices, object servers or nodes are down: their partitions have fewer replicas.',
  imbalance: 'Devices have more partitions than their weight calls for: rebalance the ring.',
  disk: 'Disks are more than 80% full: add devices or change weights.',
  lag: 'No replication pass has finished for a long time. Check that the replicators are running.',
};

/** Looks at all nodes now and then, and remembers the debt of a day. */
export class DebtWatch {
  readonly #client = new ReconClient();
  readonly #rings: Rings;
  readonly #meter = new RateMeter();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #history: DebtSample[] = [];
  #latest:
    | {
        readonly debt: Debt;
        readonly atS: number;
        readonly nodes: readonly NodeState[];
        readonly reclaimAgeS: number;
      }
    | undefined;
  #problem: ApiError | undefined;

  constructor(private readonly given: DebtWatchOptions) {
    this.#rings = new Rings(given.options.storeDir);
  }

  /** Looks at the nodes from now on, also while no page is open: the page shows a whole day. */
  start(): void {
    if (this.#needs() !== null) return;
    this.#timer ??= setInterval(() => void this.#look(), 1000 * this.#intervalS()).unref();
    void this.#look();
  }

  /**
   * The latest look; the first is made when a page asks for it.
   * @throws ApiError unsupported_here, upstream_unavailable
   */
  async snapshot(): Promise<DebtSnapshot> {
    const needs = this.#needs();
    if (needs !== null) {
      throw new ApiError('unsupported_here', 'There are no nodes to query.', { needs });
    }
    const ageS = this.#ageS();
    if (ageS === undefined || ageS > 2 * this.given.options.reconIntervalS) await this.#look();
    const latest = this.#snapshot();
    if (latest === undefined) throw this.#problem ?? unavailable();
    return latest;
  }

  /** The latest look, for metrics; undefined where there is none, or it is long ago. */
  get recent(): DebtSnapshot | undefined {
    const ageS = this.#ageS();
    return ageS === undefined || ageS > this.staleS ? undefined : this.#snapshot();
  }

  /** A look that is older than three intervals is no news. */
  get staleS(): number {
    return 3 * this.#intervalS();
  }

  /** How long the last pass of each node's object replicator took; null where it is not known. */
  get passes(): { readonly node: string; readonly ms: number | null }[] {
    return (this.#latest?.nodes ?? []).map(({ name, replication }) => {
      const passS = replication.find(({ type }) => type === 'object')?.passS;
      return { node: name, ms: passS === undefined ? null : 1000 * passS };
    });
  }

  #snapshot(): DebtSnapshot | undefined {
    if (this.#latest === undefined) return undefined;
    const { debt, atS, reclaimAgeS: ageS } = this.#latest;
    const interest = interestOf(this.#history, atS);
    const lag = debt.components.find(({ id }) => id === 'lag')?.by_node ?? [];
    return {
      ...debt,
      at_unix_s: atS,
      reclaim_age_s: ageS,
      interest_s_per_h: interest,
      tti_s: insolvencyOf({
        debtS: debt.debt_s,
        interestSPerH: interest,
        lagsS: lag.flatMap(({ count }) => count ?? []),
        reclaimAgeS: ageS,
      }),
      drivers: driversOf(debt),
      history: this.#history,
    };
  }

  /** Keys of the configuration that are missing. */
  #needs(): string | null {
    const { clusterNodes, storeDir } = this.given.options;
    return missingOf({ cluster_nodes: clusterNodes.length > 0, store_dir: storeDir !== '' });
  }

  #ageS(): number | undefined {
    return this.#latest === undefined ? undefined : this.given.now() / 1000 - this.#latest.atS;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#client.close();
    await this.#looking;
  }

  /** So that a day fits into the history. */
  #intervalS(): number {
    return Math.max(this.given.options.reconIntervalS, HISTORY_S / HISTORY_MAX);
  }

  /** Never throws; one look at a time. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    try {
      const { nodeRoot, clusterNodes, storeDir } = this.given.options;
      const ageS = await reclaimAgeS(storeDir);
      const nodes = await this.#probe();
      const pending = await pendingUpdates(nodeRoot, clusterNodes);
      const nowS = this.given.now() / 1000;
      this.#meter.note(nodes, nowS);
      const debt = debtOf({
        nowS,
        nodes,
        devices: await this.#devices(),
        rates: this.#meter.rates(nowS),
        pending,
        reclaimAgeS: ageS,
      });
      this.#latest = { debt, atS: nowS, nodes, reclaimAgeS: ageS };
      this.#problem = undefined;
      const lastS = this.#history.at(-1)?.unix_s ?? 0;
      // Pages look more often than a day's history has room for.
      if (debt.debt_s === null || nowS - lastS < 0.9 * this.#intervalS()) return;
      const kept = this.#history.filter(({ unix_s: time }) => time > nowS - HISTORY_S);
      this.#history = [...kept.slice(1 - HISTORY_MAX), { unix_s: nowS, debt_s: debt.debt_s }];
    } catch (error) {
      this.#problem = error instanceof ApiError ? error : unavailable();
    }
  }

  async #probe(): Promise<NodeState[]> {
    const rings = await this.#rings.load();
    const devices = rings.flatMap((ring) => ring.devices);
    const targets = this.given.options.clusterNodes.map((node) => ({
      name: node.name,
      servers: serversOf(devices, [node.storage_ip]),
    }));
    const servers = targets.flatMap((target) => target.servers);
    this.#client.keepOnly(new Set(servers.map(({ ip, port }) => placeOf(ip, port))));
    return Promise.all(
      targets.map((target) => probeNode(this.#client, target, rings, this.given.now)),
    );
  }

  /** The devices of all rings of objects that can be read. */
  async #devices(): Promise<DebtDevice[]> {
    const { rings, options } = this.given;
    const nodeOf = new Map(options.clusterNodes.map((node) => [node.storage_ip, node.name]));
    const found = new Map<string, DebtDevice>();
    for (const name of await rings.names()) {
      if (!name.startsWith('object')) continue;
      const { read } = await rings.open(name);
      const balances = new Map(deviceBalances(read.data).map((one) => [one.id, one]));
      for (const { id, ip, device } of presentDevices(read.data.devices)) {
        const node = nodeOf.get(ip);
        if (node === undefined) continue;
        const key = `${node} ${device}`;
        const { parts = 0, wantedParts = 0 } = found.get(key) ?? {};
        const { parts: own = 0, share = 0 } = balances.get(id) ?? {};
        const sum = { parts: parts + own, wantedParts: wantedParts + share };
        found.set(key, { node, device, ...sum });
      }
    }
    return [...found.values()];
  }
}

function driversOf({ components }: Debt): string[] {
  return components
    .filter(({ debt_s: debt }) => debt !== null && debt > 0)
    .toSorted((a, b) => (b.debt_s ?? 0) - (a.debt_s ?? 0))
    .slice(0, DRIVERS_MAX)
    .map(({ id }) => WORDS[id]);
}

function unavailable(): ApiError {
  return new ApiError('upstream_unavailable', 'Could not read the rings or query the nodes.');
}
