import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalProcs } from '../../../console/nodes/local-procs.js';
import { serve, type Served } from '../../support/serve.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { stopAll, nodesIn, type Nodes } from './net-support.js';
import { clusterFolder, ringOfDevices, type DevicePlace } from './support.js';

/** A policy of three copies alone: of four nodes, any one may be away. */
const SWIFT_CONF = `[swift-hash]
swift_hash_path_suffix = changeme

[storage-policy:0]
name = gold
default = yes
`;
const NAMES = ['node1', 'node2', 'node3', 'node4'];

/** Four nodes whose services are processes that do nothing, with servers that answer for them. */
export interface DrillCluster {
  readonly folder: string;
  readonly nodes: Nodes;
  /** Keys of the console's configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** When the replicators of all nodes have finished a pass; null: never. */
  replicatedS: number | null;
  /** The states of a node's services, by name. */
  states(node: string): Promise<Record<string, string>>;
  close(): Promise<void>;
}

/** @param services of each node: they are started */
export async function startDrillCluster(
  services: readonly string[] = ['object-server', 'container-server', 'object-replicator'],
): Promise<DrillCluster> {
  const servers: Served[] = [];
  const cluster = { replicatedS: null as number | null };
  const devices: DevicePlace[] = [];
  for (const [id] of NAMES.entries()) {
    const ip = `127.0.0.${id + 1}`;
    const server = await serve((request, response) => {
      const isRecon = request.url === '/recon/replication/object';
      const { replicatedS: last } = cluster;
      const body = { object_replication_time: 1, object_replication_last: last };
      response.writeHead(200, { server: 'object-server/2.30.1' });
      response.end(isRecon ? JSON.stringify(body) : 'OK');
    }, ip);
    servers.push(server);
    devices.push({ zone: id + 1, ip, port: server.port, device: 'd1' });
  }
  const ring = ringOfDevices(devices, { partPower: 6 });
  const store = await clusterFolder({ account: ring, container: ring, object: ring });
  await writeFile(join(store, 'swift.conf'), SWIFT_CONF);
  await rm(join(store, 'object-1.ring.gz'));
  const folder = await makeTempFolder('drill');
  const [one] = await nodesIn(folder, []);
  if (one === undefined) throw new Error('no node');
  const script = join(folder, 'service.sh');
  const nodes = NAMES.map((name, id) => ({
    ...one,
    name,
    storage_ip: `127.0.0.${id + 1}`,
    devices: ['d1'],
    services: Object.fromEntries(
      services.map((service) => [
        service,
        {
          pid_file: join(folder, `${service}.${name}.pid`),
          argv: ['/bin/sh', script, `${service}.${name}`],
          env: {},
        },
      ]),
    ),
  }));
  const driver = new LocalProcs();
  await Promise.all(
    nodes.flatMap((node) => services.map((service) => driver.act(node, service, 'start'))),
  );
  return Object.assign(cluster, {
    folder,
    nodes,
    config: {
      ...{ lab_enabled: true, lab_mutations: true, node_driver: 'local-procs' },
      ...{ store_dir: store, cluster_nodes: nodes },
    },
    async states(name: string) {
      const node = nodes.find((each) => each.name === name);
      if (node === undefined) throw new Error('no such node');
      const found = await driver.status(node, services);
      return Object.fromEntries(found.map((each) => [each.name, each.state]));
    },
    async close() {
      await stopAll(nodes);
      for (const server of servers) server.close();
      await removeFolder(folder);
      await removeFolder(store);
    },
  });
}
