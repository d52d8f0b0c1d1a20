import { presentDevices } from '../../../../src/ring/device.js';
import { mapLimited } from '../../../../src/lib/promises.js';
import type { ConsoleOptions } from '../../../config/load.js';
import { DriverError, type ClusterNode, type ServiceStatus } from '../../../nodes/driver.js';
import { STORAGE_SERVERS, STORAGE_SERVICES } from '../../../nodes/storage-services.js';
import { Upstream } from '../../../swift/upstream.js';
import { ApiError } from '../../../server/api-error.js';
import type { LabRings } from '../ground/lab-rings.js';
import type { RevertTools } from '../net/fault.js';

/** How a server answered `OPTIONS /`. */
export interface ServerProbe {
  /** `object-server/2.30.1`; null where it did not say. */
  readonly server_header: string | null;
  readonly ok: boolean;
  readonly ms: number;
}

export interface NodeService extends ServiceStatus {
  /** Null for a daemon, and without rings, which say where servers listen. */
  readonly probe: ServerProbe | null;
}

/** The known state of a node, without the effect of the drill on it. */
export interface NodeSight extends Pick<ClusterNode, 'name' | 'storage_ip' | 'devices'> {
  readonly services: readonly NodeService[];
  readonly state: 'up' | 'degraded' | 'failed' | 'unreachable' | 'unknown';
  /** Why the services are not known; null where they are. */
  readonly problem: string | null;
}

const AT_ONCE = 8;
const PROBE_MS = 3000;

/** Looks at services of storage nodes: by the driver, and at the addresses that the rings have. */
export class NodeWatch {
  constructor(
    private readonly options: Pick<ConsoleOptions, 'clusterNodes' | 'nodeDriver' | 'storeDir'>,
    private readonly rings: LabRings,
    private readonly tools: RevertTools,
  ) {}

  /** @throws ApiError unknown_node */
  node(name: string): ClusterNode {
    const node = this.options.clusterNodes.find((one) => one.name === name);
    if (node === undefined) throw new ApiError('unknown_node', 'Node not found.');
    return node;
  }

  /** The services that a drill may stop: those of storage, and no others, whatever the roster has. */
  services(node: ClusterNode): string[] {
    if (this.options.nodeDriver === 'none') return [];
    const known = this.tools.driver.services(node);
    return STORAGE_SERVICES.filter((name) => known.includes(name));
  }

  async look(): Promise<NodeSight[]> {
    const places = await this.#places();
    return mapLimited(this.options.clusterNodes, AT_ONCE, (node) => this.#lookAt(node, places));
  }

  async #lookAt(node: ClusterNode, places: Places | undefined): Promise<NodeSight> {
    const { name, storage_ip: ip, devices } = node;
    const about = { name, storage_ip: ip, devices };
    const probes = new Map(
      await Promise.all(
        STORAGE_SERVERS.map(async (service) => {
          const port = places?.get(`${service} ${ip}`);
          return [service, port === undefined ? null : await probe(ip, port)] as const;
        }),
      ),
    );
    const withProbes = (all: readonly ServiceStatus[]): NodeService[] =>
      all
        .filter(({ state }) => state !== 'absent')
        .map((one) => ({ ...one, probe: probes.get(one.name) ?? null }));
    try {
      const services = this.services(node);
      if (services.length > 0) {
        const found = withProbes(await this.tools.driver.status(node, services));
        return { ...about, services: found, state: stateOf(found), problem: null };
      }
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      const state = error.code === 'unreachable' ? 'unreachable' : 'unknown';
      return { ...about, services: [], state, problem: error.message };
    }
    const probed = STORAGE_SERVERS.filter((service) => probes.get(service));
    const found = probed.map((service): NodeService => {
      const answer = probes.get(service) ?? null;
      const state = answer?.ok === true ? 'active' : 'unknown';
      return { name: service, state, pid: null, probe: answer };
    });
    return { ...about, services: found, state: stateOf(found), problem: this.#lack() };
  }

  #lack(): string {
    return this.options.nodeDriver === 'none'
      ? 'No node_driver is configured, so services can only be probed over the network.'
      : 'cluster_nodes lists no storage services for this node.';
  }

  /** The ports of servers by service and address, as the rings have them. */
  async #places(): Promise<Places | undefined> {
    if (this.options.storeDir === '') return undefined;
    const places = new Map<string, number>();
    for (const name of await this.rings.names()) {
      const type = /^[a-z]+/.exec(name)?.[0] ?? '';
      const { ring } = await this.rings.open(name);
      for (const { ip, port } of presentDevices(ring.data.devices)) {
        places.set(`${type}-server ${ip}`, port);
      }
    }
    return places;
  }
}

type Places = ReadonlyMap<string, number>;

/** A service that runs and does not answer is not well. */
function stateOf(services: readonly NodeService[]): NodeSight['state'] {
  const servers = services.filter(({ name }) => STORAGE_SERVERS.includes(name));
  if (servers.length === 0) return 'unknown';
  const well = servers.filter(({ state, probe: answer }) => state === 'active' && answer?.ok !== false); // prettier-ignore
  if (well.length === servers.length) return 'up';
  return well.length === 0 ? 'failed' : 'degraded';
}

async function probe(host: string, port: number): Promise<ServerProbe> {
  const startedMs = performance.now();
  const ms = () => Math.round(performance.now() - startedMs);
  const server = new Upstream({ secure: false, host, port, basePath: '' });
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    const request = { method: 'OPTIONS', rawPath: '/', idleMs: PROBE_MS, signal };
    const { status, headers, body } = await server.send(request);
    body.resume();
    const name = headers.server;
    const header = typeof name === 'string' ? name.slice(0, 64) : null;
    return { server_header: header, ok: status < 500, ms: ms() };
  } catch {
    return { server_header: null, ok: false, ms: ms() };
  } finally {
    server.close();
  }
}
