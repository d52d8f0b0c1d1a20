import type { ConsoleOptions } from '../../../config/load.js';
import { measuresOf, nodeView } from './node-measures.js';
import {
  probeNode,
  serversOf,
  type NodeState,
  type NodeTarget,
} from '../../../recon/node-probe.js';
import { placeOf, ReconClient } from '../../../recon/recon-client.js';
import { Rings, type RingFile } from '../../../recon/ring-devices.js';
import { SourceError, type Sampled, type Sampler } from './source.js';

export interface ReconOptions {
  readonly options: Pick<ConsoleOptions, 'clusterNodes' | 'storeDir'>;
  readonly now: () => number;
}

/** Asks the nodes that both the configuration and the rings name. */
export class ReconSampler implements Sampler {
  readonly id = 'recon';
  readonly title = 'Storage nodes';
  /** Rows of the table of nodes, of the last look. */
  nodes: readonly ReturnType<typeof nodeView>[] = [];
  readonly #client = new ReconClient();
  readonly #rings: Rings;
  /** Since when an expirer says the same. */
  readonly #expirers = new Map<string, { readonly state: string; readonly sinceMs: number }>();

  constructor(private readonly recon: ReconOptions) {
    this.#rings = new Rings(recon.options.storeDir);
  }

  async sample(nowMs: number): Promise<Sampled> {
    const rings = await this.#loadRings();
    const targets = this.#targets(rings);
    const servers = targets.flatMap((target) => target.servers);
    this.#client.keepOnly(new Set(servers.map(({ ip, port }) => placeOf(ip, port))));
    const states = await Promise.all(
      targets.map((target) => probeNode(this.#client, target, rings, this.recon.now)),
    );
    this.nodes = states.map((state) => nodeView(state, nowMs));
    const known = states.filter(({ services }) => services.length > 0);
    const measures = measuresOf(known, this.#expirerAges(states, nowMs), nowMs);
    return { measures, problems: new Map() };
  }

  close(): void {
    this.#client.close();
  }

  async #loadRings(): Promise<RingFile[]> {
    try {
      return await this.#rings.load();
    } catch (error) {
      throw new SourceError('the rings in store_dir cannot be read', { cause: error });
    }
  }

  #targets(rings: readonly RingFile[]): NodeTarget[] {
    const devices = rings.flatMap((ring) => ring.devices);
    return this.recon.options.clusterNodes.map((node) => ({
      name: node.name,
      servers: serversOf(devices, [node.storage_ip]),
    }));
  }

  #expirerAges(states: readonly NodeState[], nowMs: number): ReadonlyMap<string, number> {
    for (const { name, expirer } of states) {
      if (expirer === undefined || this.#expirers.get(name)?.state === expirer) continue;
      this.#expirers.set(name, { state: expirer, sinceMs: nowMs });
    }
    const answering = states.filter(({ expirer }) => expirer !== undefined);
    return new Map(
      answering.map(({ name }) => {
        const sinceMs = this.#expirers.get(name)?.sinceMs ?? nowMs;
        return [name, (nowMs - sinceMs) / 1000];
      }),
    );
  }
}
