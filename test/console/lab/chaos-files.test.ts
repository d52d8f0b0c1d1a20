import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ClusterWatch } from '../../../console/surfaces/lab/chaos/cluster-health.js';
import {
  folderBelow,
  localDevices,
  pendingUpdates,
} from '../../../console/surfaces/lab/chaos/local-device.js';
import {
  byteToChange,
  changeByte,
  dataFile,
  hasReplica,
  holdReplica,
  type ReplicaPlace,
} from '../../../console/surfaces/lab/chaos/replica-files.js';
import { CHAOS_REVERTS, type ObjectRevert } from '../../../console/surfaces/lab/chaos/reverts.js';
import { serve } from '../../support/serve.js';
import { clusterFolder, ringAt } from './support.js';
import { removeFolder, useTempFolder } from '../../support/temp-folder.js';

describe('faults of files', () => {
  const root = useTempFolder('chaos');
  let place: ReplicaPlace;
  const hash = '0123456789abcdef0123456789abcdef';
  const bytes = Buffer.alloc(1024, 'x');

  beforeEach(async () => {
    place = { device: join(root(), 'd1'), objects: 'objects', part: 12, hash };
    await mkdir(join(root(), 'd1/objects/12/def', hash), { recursive: true });
    await writeFile(join(root(), 'd1/objects/12/def', hash, '1700000000.00000.data'), bytes);
  });

  const revert = (params: ObjectRevert) => CHAOS_REVERTS['chaos.object']?.({ ...params }, NO_TOOLS);

  it('change one byte, and put it back as often as they are asked', async () => {
    const file = (await dataFile(place)) ?? '';
    const byte = await byteToChange(file, 500);
    // Before it is done, nothing has to be taken back.
    expect(await revert({ do: 'restore_byte', byte })).to.include(
      'no longer has the corrupted byte',
    );
    await changeByte(byte);
    const changed = await readFile(file);
    expect(changed.length).to.equal(1024);
    expect(changed.findIndex((value, at) => value !== bytes[at])).to.equal(500);
    expect(await revert({ do: 'restore_byte', byte })).to.include('restored');
    expect(await revert({ do: 'restore_byte', byte })).to.include(
      'no longer has the corrupted byte',
    );
    expect((await readFile(file)).equals(bytes)).to.equal(true);
    // A copy that the auditor has taken away stays there.
    await changeByte(byte);
    await rm(join(root(), 'd1/objects/12/def', hash), { recursive: true });
    expect(await revert({ do: 'restore_byte', byte })).to.include(
      'no longer has the corrupted byte',
    );
  });

  it('take a copy away, mark its suffix, and put it back', async () => {
    const id = '5f2f6a3e-0000-4000-8000-000000000001';
    await holdReplica(place, id, true);
    expect(await hasReplica(place)).to.equal(false);
    const marks = join(root(), 'd1/objects/12/hashes.invalid');
    expect(await readFile(marks, 'utf8')).to.equal('def\n');
    expect(await revert({ do: 'put_back', place, id })).to.include('restored');
    expect((await readFile((await dataFile(place)) ?? '')).equals(bytes)).to.equal(true);
    expect(await revert({ do: 'put_back', place, id })).to.include('no replica to restore');
    expect(await readdir(join(root(), 'd1'))).to.deep.equal(['objects']);
  });

  it('keep the copy that replicators have made meanwhile', async () => {
    const id = '5f2f6a3e-0000-4000-8000-000000000002';
    await holdReplica(place, id, false);
    expect(await readdir(join(root(), 'd1/objects/12'))).not.to.include('hashes.invalid');
    const made = join(root(), 'd1/objects/12/def', hash);
    await mkdir(made, { recursive: true });
    await writeFile(join(made, '1700000009.00000.data'), 'newer');
    expect(await revert({ do: 'put_back', place, id })).to.include('new replica');
    expect(await readdir(made)).to.deep.equal(['1700000009.00000.data']);
    expect(await readdir(join(root(), 'd1'))).to.deep.equal(['objects']);
  });

  it('lead nowhere else, neither by names nor by links', async () => {
    const roster = [{ name: 'n1', storage_ip: '10.0.0.1', devices: ['d1', 'd2'], services: {} }];
    await symlink('/', join(root(), 'd2'));
    const found = await localDevices({ nodeRoot: root(), clusterNodes: roster });
    expect(found.map(({ device }) => device)).to.deep.equal(['d1']);
    expect(await folderBelow(root(), ['..', 'etc'])).to.equal(undefined);
    expect(await folderBelow(root(), ['d2'])).to.equal(undefined);
    expect(await dataFile({ ...place, part: 13 })).to.equal(undefined);
    await mkdir(join(root(), 'd1/async_pending-1/def'), { recursive: true });
    await writeFile(join(root(), 'd1/async_pending-1/def', `${hash}-1700000000.00000`), '');
    expect(await pendingUpdates(found, new Set([hash]))).to.equal(1);
    expect(await pendingUpdates(found, new Set([hash.replace('0', '1')]))).to.equal(0);
  });
});

const NO_TOOLS = { nodeRoot: '' } as never;

describe('the look at all servers', () => {
  it('asks once more before it says that one is down', async () => {
    let cuts = 1;
    const server = await serve((request, response) => {
      if (cuts-- > 0) request.socket.destroy();
      else response.end('1');
    });
    const ring = ringAt(server.port);
    const all = { account: ring, container: ring, object: ring, 'object-1': ring };
    const storeDir = await clusterFolder(all);
    const clusterNodes = [{ name: 'n1', storage_ip: '127.0.0.1', devices: [], services: {} }];
    const watch = new ClusterWatch({ storeDir, clusterNodes, nodeRoot: '' });
    try {
      const look = () => watch.look(({ type }) => type !== 'object');
      expect(await look()).to.deep.equal({ down: [], free_ratio: null });
      cuts = 2;
      expect((await look()).down).to.deep.equal(['n1/object-server']);
    } finally {
      watch.close();
      server.close();
      await removeFolder(storeDir);
    }
  });
});
