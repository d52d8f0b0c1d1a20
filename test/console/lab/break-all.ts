import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalProcs } from '../../../console/nodes/local-procs.js';
import {
  byteToChange,
  changeByte,
  dataFile,
  hasReplica,
  holdReplica,
  type ReplicaPlace,
} from '../../../console/surfaces/lab/chaos/replica-files.js';
import type { ObjectRevert } from '../../../console/surfaces/lab/chaos/reverts.js';
import type { FaultKind, Revert } from '../../../console/surfaces/lab/net/fault.js';
import type { FaultNet } from '../../../console/surfaces/lab/net/fault-net.js';
import { serve } from '../../support/serve.js';
import { removeFolder } from '../../support/temp-folder.js';
import { OBJECT_SERVER, type Nodes } from './net-support.js';
import { clusterFolder, ringAt } from './support.js';

/** The second service of node1: it is paused, while the object server is stopped. */
export const PAUSED = 'container-server';
const BYTES = Buffer.alloc(1024, 'x');
const HELD_ID = '5f2f6a3e-0000-4000-8000-000000000001';
const QUOTA = 'x-container-meta-quota-bytes';
const CONTAINER = { account: 'AUTH_test', container: 'lab-chaos-0123abcd-full' };

interface Ground {
  readonly storeDir: string;
  readonly port: number;
  /** One copy is to get another byte, and one is to be taken away. */
  readonly changed: ReplicaPlace;
  readonly removed: ReplicaPlace;
}

/** All that faults break, whole: two copies, and a container server that knows a limit. */
export interface Breakable {
  /** The list of broken things. */
  broken(nodes: Nodes): Promise<string[]>;
  close(): Promise<void>;
}

const groundFile = (folder: string): string => join(folder, 'ground.json');

/** Makes what a {@link BreakAll} over the same folder breaks. */
export async function makeBreakable(folder: string): Promise<Breakable> {
  let limit = '';
  const server = await serve((request, response) => {
    limit = String(request.headers[QUOTA] ?? '');
    response.writeHead(204).end();
  });
  const { port } = server;
  const ring = ringAt(port);
  const storeDir = await clusterFolder({ account: ring, container: ring, object: ring });
  const copy = async (hash: string): Promise<ReplicaPlace> => {
    const place = { device: join(folder, 'd1'), objects: 'objects', part: 12, hash };
    const data = join(place.device, 'objects/12', hash.slice(-3), hash);
    await mkdir(data, { recursive: true });
    await writeFile(join(data, '1700000000.00000.data'), BYTES);
    return place;
  };
  const ground: Ground = {
    ...{ storeDir, port },
    changed: await copy('0123456789abcdef0123456789abcdef'),
    removed: await copy('0123456789abcdef0123456789abcabc'),
  };
  await writeFile(groundFile(folder), JSON.stringify(ground));
  return {
    async broken(nodes) {
      const [node] = nodes;
      if (node === undefined) throw new Error('no node');
      const services = await new LocalProcs().status(node, [OBJECT_SERVER, PAUSED]);
      const file = await dataFile(ground.changed);
      const isSame = file !== undefined && (await readFile(file)).equals(BYTES);
      return [
        ...services.flatMap(({ name, state }) => (state === 'active' ? [] : [`${name}: ${state}`])),
        ...(isSame ? [] : ['a copy has another byte']),
        ...((await hasReplica(ground.removed)) ? [] : ['a copy is away']),
        ...(limit === '' ? [] : ['the container has a limit']),
      ];
    },
    async close() {
      server.close();
      await removeFolder(storeDir);
    },
  };
}

/** Breaks everything that a fault of the Lab may break, one step after the other, and takes it back. */
export class BreakAll implements FaultKind {
  readonly name = 'test.all';
  readonly kept = 20;
  readonly holds = false;
  readonly run: FaultKind['run'];

  constructor(folder: string, net: () => FaultNet) {
    this.run = async (fault) => {
      const ground = JSON.parse(await readFile(groundFile(folder), 'utf8')) as Ground;
      const { driver, node } = net().tools;
      const byte = await byteToChange((await dataFile(ground.changed)) ?? '', 500);
      const service = (kind: string, name: string): Revert => ({
        kind,
        params: { node: 'node1', service: name },
      });
      const object = (step: ObjectRevert): Revert => ({
        kind: 'chaos.object',
        params: { ...step },
      });
      await fault.arm([
        service('service.start', OBJECT_SERVER),
        service('service.resume', PAUSED),
        object({ do: 'restore_byte', byte }),
        object({ do: 'put_back', place: ground.removed, id: HELD_ID }),
        object({ do: 'clear_quota', store_dir: ground.storeDir, hash_conf: '', ...CONTAINER }),
      ]);
      const limit = { method: 'POST', headers: { [QUOTA]: '1' } };
      const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['stop', () => driver.act(node('node1'), OBJECT_SERVER, 'stop')],
        ['pause', () => driver.act(node('node1'), PAUSED, 'pause')],
        ['change', () => changeByte(byte)],
        ['remove', () => holdReplica(ground.removed, HELD_ID, true)],
        ['limit', () => fetch(`http://127.0.0.1:${ground.port}/`, limit)],
      ];
      for (const [step, work] of steps) {
        await fault.act(step, async () => {
          await work();
        });
      }
      await fault.held();
      process.stdout.write('held\n');
      if (fault.params.waits === true) await once(fault.signal, 'abort');
      else await fault.revert();
      return null;
    };
  }
}
