import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { LocalProcs } from '../../../console/nodes/local-procs.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { removeFolder } from '../../support/temp-folder.js';
import { clusterFolder, ringAt } from './support.js';

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
  const argsOf = (port: number, name: string) => [script, String(port), pidFile(name)];
  const start = (port: number, name: string) =>
    spawn(process.execPath, argsOf(port, name), { detached: true, stdio: 'ignore' });
  const children = [start(steady, 'object-server'), start(stopped, 'container-server')];
  const answers = async (port: number): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${port}/recon/time`).catch(() => undefined);
    return answer?.ok === true;
  };
  for (const port of [steady, stopped]) await eventually(() => answers(port), Boolean);
  const name = 'container-server';
  const argv = [process.execPath, ...argsOf(stopped, name)];
  const service = { pid_file: pidFile(name), argv };
  return {
    config: {
      ...{ lab_enabled: true, lab_mutations: true, node_driver: 'local-procs' },
      store_dir: folder,
      cluster_nodes: [
        {
          ...{ name: 'node1', storage_ip: '127.0.0.1', devices: ['d0', 'd1', 'd2'] },
          services: { [name]: service },
        },
      ],
    },
    isServed: () => answers(stopped),
    async close() {
      const services = { [name]: { ...service, env: {} } };
      const node = { name: 'node1', storage_ip: '127.0.0.1', devices: [], services };
      await new LocalProcs().act(node, name, 'stop');
      for (const child of children) child.kill('SIGKILL');
      await removeFolder(folder);
    },
  };
}
