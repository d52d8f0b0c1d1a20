import { statfs } from 'node:fs/promises';
import type { ConsoleOptions } from '../../../config/load.js';
import { serversOf, type NodeServer } from '../../../recon/node-probe.js';
import { ReconClient } from '../../../recon/recon-client.js';
import { Rings } from '../../../recon/ring-devices.js';
import type { ClusterHealth } from './fault.js';
import { localDevices } from './local-device.js';

export type HealthOptions = Pick<ConsoleOptions, 'clusterNodes' | 'storeDir' | 'nodeRoot'>;

/** A storage server with the name of its node. */
export interface NamedServer extends NodeServer {
  readonly node: string;
}

/** Looks at all storage servers of nodes that the console knows. */
export class ClusterWatch {
  readonly #client = new ReconClient();
  readonly #rings: Rings;

  constructor(private readonly options: HealthOptions) {
    this.#rings = new Rings(options.storeDir);
  }

  /** The servers of the rings that are on nodes of the roster. @throws what reading rings throws */
  async servers(): Promise<NamedServer[]> {
    const rings = await this.#rings.load();
    const devices = rings.flatMap((ring) => ring.devices);
    return this.options.clusterNodes.flatMap(({ name, storage_ip: ip }) =>
      serversOf(devices, [ip]).map((server) => ({ ...server, node: name })),
    );
  }

  /** @param isExpected - servers of which no answer is no news */
  async look(isExpected: (server: NamedServer) => boolean): Promise<ClusterHealth> {
    const servers = (await this.servers()).filter((server) => !isExpected(server));
    // Asked once more: one answer that was late is no reason to end a fault.
    const answers = await Promise.all(
      servers.map(async (server) => (await this.answers(server)) || this.answers(server)),
    );
    const down = servers.filter((_, index) => answers[index] === false);
    return {
      down: down.map(({ node, type }) => `${node}/${type}-server`),
      free_ratio: await this.#freeRatio(),
    };
  }

  /** Whether a server answers, whatever it says. */
  async answers({ ip, port }: NodeServer): Promise<boolean> {
    const { kind } = await this.#client.ask(ip, port, 'time');
    return kind === 'json' || kind === 'other';
  }

  close(): void {
    this.#client.close();
  }

  /** The least free share of the disks of this machine: recon says nothing of folders that are no mounts. */
  async #freeRatio(): Promise<number | null> {
    const found = await Promise.all(
      (await localDevices(this.options)).map(async ({ folder }) => {
        const { bavail, blocks } = await statfs(folder);
        return blocks === 0 ? 1 : bavail / blocks;
      }),
    ).catch(() => []);
    return found.length === 0 ? null : Math.min(...found);
  }
}
