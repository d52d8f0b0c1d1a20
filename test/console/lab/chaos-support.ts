import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { rebalance, ringOf } from '../../../src/ring/builder/rebalance.js';
import { changeBuilder, newBuilder } from '../../../src/ring/builder/state.js';
import type { RingData } from '../../../src/ring/ring-data.js';
import { LocalProcs } from '../../../console/nodes/local-procs.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { clusterFolder } from './support.js';

/** A storage server as far as the Lab asks one: it has all objects, and knows recon. */
const SERVER = `
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const [port, pidFile] = process.argv.slice(2);
createServer((request, response) => {
  const isRecon = request.url.startsWith('/recon/');
  response.writeHead(200, { 'x-timestamp': '1700000000.00000' });
  response.end(isRecon ? String(Date.now() / 1000) : undefined);
}).listen(Number(port), '127.0.0.1', () => writeFileSync(pidFile, String(process.pid)));
`;

/** A node whose container server is a process of its own, which faults may stop. */
export interface ServedNode {
  /** Keys of the console's configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Whether the container server answers. */
  isServed(): Promise<boolean>;
  close(): Promise<void>;
}

export async function startServedNode(): Promise<ServedNode> {
  const [steady, stopped] = [await freePort(), await freePort()];
  const rings = { account: ringAt(steady), container: ringAt(stopped), object: ringAt(steady) };
  const folder = await clusterFolder({ ...rings, 'object-1': ringAt(steady) });
  await mkdir(join(folder, 'run'));
  const script = join(folder, 'server.mjs');
  await writeFile(script, SERVER);
  const pidFile = (name: string): string => join(folder, 'run', `${name}.pid`);
  const argvOf = (port: number, name: string) => [process.execPath, script, String(port), pidFile(name)]; // prettier-ignore
  const children: ChildProcess[] = [];
  for (const [port, name] of [
    [steady, 'object-server'],
    [stopped, 'container-server'],
  ] as const) {
    // prettier-ignore
    const [program = '', ...args] = argvOf(port, name);
    children.push(spawn(program, args, { detached: true, stdio: 'ignore' }));
  }
  const answers = async (port: number): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/recon/time`).then(({ ok }) => ok, () => false); // prettier-ignore
  for (const port of [steady, stopped]) await eventually(() => answers(port), Boolean);
  const service = (port: number, name: string) => ({ pid_file: pidFile(name), argv: argvOf(port, name) }); // prettier-ignore
  return {
    config: {
      ...{ lab_enabled: true, lab_mutations: true, node_driver: 'local-procs' },
      store_dir: folder,
      cluster_nodes: [
        {
          ...{ name: 'node1', storage_ip: '127.0.0.1', devices: ['d0', 'd1', 'd2'] },
          services: { 'container-server': service(stopped, 'container-server') },
        },
      ],
    },
    isServed: () => answers(stopped),
    async close() {
      const services = { 'container-server': { ...service(stopped, 'container-server'), env: {} } };
      const node = { name: 'node1', storage_ip: '127.0.0.1', devices: [], services };
      await new LocalProcs().act(node, 'container-server', 'stop');
      for (const child of children) child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
}

/** Three devices on three zones of one server: no device is a handoff. */
export function ringAt(port: number): RingData {
  const devices = [0, 1, 2].map((id) => ({
    ...{ id, region: 1, zone: 1 + id, ip: '127.0.0.1', port, device: `d${id}`, weight: 100 },
    ...{ meta: '', replicationIp: '127.0.0.1', replicationPort: port },
  }));
  const builder = changeBuilder(
    newBuilder({ partPower: 4, replicas: 3, minPartHours: 0 }),
    devices.map((device) => ({ kind: 'add' as const, device })),
  );
  return ringOf(rebalance(builder, { seed: 1, nowS: 0 }).state);
}
