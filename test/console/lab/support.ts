import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { rebalance, ringOf } from '../../../src/ring/builder/rebalance.js';
import { changeBuilder, newBuilder } from '../../../src/ring/builder/state.js';
import type { RingData } from '../../../src/ring/ring-data.js';
import { writeRing } from '../../../src/ring/ring-writer.js';
import { serve } from '../../support/serve.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';

export interface RingShape {
  readonly partPower?: number;
  readonly replicas?: number;
  readonly zones?: number;
  readonly devicesPerZone?: number;
  /** By device id; 100 where there is none. */
  readonly weights?: readonly number[];
}

/** A ring of the project's own builder: servers of two devices each. */
export function builtRing(shape: RingShape = {}): RingData {
  const { partPower = 6, replicas = 3, zones = 3, devicesPerZone = 2, weights = [] } = shape;
  const devices = Array.from({ length: zones * devicesPerZone }, (_, id) => {
    const zone = 1 + Math.floor(id / devicesPerZone);
    const ip = `10.0.${zone}.${1 + Math.floor((id % devicesPerZone) / 2)}`;
    return { zone, ip, port: 6200, device: `d${id}`, weight: weights[id] ?? 100 };
  });
  return ringOfDevices(devices, { partPower, replicas });
}

/** A device of a ring; its id is its place in the list. */
export interface DevicePlace {
  readonly zone: number;
  readonly ip: string;
  readonly port: number;
  readonly device: string;
  /** 100 where there is none. */
  readonly weight?: number;
}

export function ringOfDevices(
  devices: readonly DevicePlace[],
  { partPower = 4, replicas = 3 } = {},
): RingData {
  const added = devices.map(({ weight = 100, ...place }, id) => ({
    ...place,
    ...{ id, region: 1, weight, meta: '' },
    ...{ replicationIp: place.ip, replicationPort: place.port },
  }));
  const builder = changeBuilder(
    newBuilder({ partPower, replicas, minPartHours: 0 }),
    added.map((device) => ({ kind: 'add' as const, device })),
  );
  return ringOf(rebalance(builder, { seed: 1, nowS: 0 }).state);
}

/** Three devices in three zones of one server: no device is a handoff. */
export function ringAt(port: number): RingData {
  const places = [0, 1, 2].map((id) => ({ zone: 1 + id, device: `d${id}` }));
  return ringOfDevices(places.map((place) => ({ ...place, ip: '127.0.0.1', port })));
}

const SWIFT_CONF = `[swift-hash]
swift_hash_path_suffix = changeme
swift_hash_path_prefix =

[storage-policy:0]
name = gold
aliases = yellow, Policy-0
default = yes

[storage-policy:1]
name = coded
policy_type = erasure_coding
ec_type = liberasurecode_rs_vand
ec_num_data_fragments = 2
ec_num_parity_fragments = 1
`;

/** A folder as `/etc/swift` is: swift.conf with two policies, and their rings. */
export async function clusterFolder(
  rings: Readonly<Record<string, RingData>> = {},
): Promise<string> {
  const folder = await makeTempFolder('lab');
  await mkdir(join(folder, 'backups'));
  await writeFile(join(folder, 'swift.conf'), SWIFT_CONF);
  const all = { account: builtRing(), container: builtRing(), object: builtRing(), ...rings };
  for (const [name, ring] of Object.entries({ 'object-1': builtRing(), ...all })) {
    await writeFile(join(folder, `${name}.ring.gz`), writeRing(ring));
  }
  return folder;
}

/** A node of a cluster, of which there is recon alone. */
export interface ReconCluster extends AsyncDisposable {
  /** The answers of recon, by the path behind `/recon/`; a test sets them. */
  readonly answers: Record<string, unknown>;
  /** Keys of the console's configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Rings of three devices of one node on loopback, whose servers know recon, and nothing else. */
export async function startReconCluster(): Promise<ReconCluster> {
  const answers: Record<string, unknown> = {};
  const server = await serve((request, response) => {
    const what = (request.url ?? '').replace('/recon/', '');
    const known = Object.hasOwn(answers, what);
    response.writeHead(known ? 200 : 404).end(known ? JSON.stringify(answers[what]) : 'no');
  });
  const ring = ringAt(server.port);
  const all = { account: ring, container: ring, object: ring, 'object-1': ring };
  const folder = await clusterFolder(all);
  const close = async () => {
    server.close();
    await removeFolder(folder);
  };
  const clusterNodes = [{ name: 'node1', storage_ip: '127.0.0.1' }];
  const config = { store_dir: folder, cluster_nodes: clusterNodes };
  return { answers, config, close, [Symbol.asyncDispose]: close };
}

/** A second address of a store, which may change what it answers. */
export interface PeerShim {
  readonly origin: string;
  /** So many requests of `flips` for objects are let through; later ones get the other status. */
  passes: number;
  /** The status to change; by default that of `HEAD`, from `200 OK` to `203 OK`. */
  flips: { readonly method: string; readonly from: string; readonly to: string };
  /** Where connections go to. */
  target: string;
  close(): Promise<void>;
}

/** A relay of bytes, so that the store reads requests as odd as they were sent. */
export async function startPeerShim(): Promise<PeerShim> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const { hostname, port } = new URL(shim.target);
    const store = connect({ host: hostname, port: Number(port) });
    let flips = false;
    client.on('data', (bytes) => {
      const [method = '', target = ''] = bytes.toString('latin1').split(' ', 2);
      if (method === shim.flips.method && /\/shadow-\w+\//.test(target)) {
        flips = shim.passes <= 0;
        shim.passes -= 1;
      }
      store.write(bytes);
    });
    store.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      const { from, to } = shim.flips;
      const changed = flips ? text.replace(`HTTP/1.1 ${from}`, `HTTP/1.1 ${to}`) : text;
      client.write(Buffer.from(changed, 'latin1'));
    });
    for (const [one, other] of [
      [client, store],
      [store, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('end', () => other.end());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const shim = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passes: Infinity,
    flips: { method: 'HEAD', from: '200 OK', to: '203 OK' },
    target: '',
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return shim;
}
