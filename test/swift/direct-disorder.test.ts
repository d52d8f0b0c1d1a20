import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { openDirect } from '../../src/backend/swift/index.js';
import type { SwiftRequest, SwiftTransport } from '../../src/backend/swift/transport.js';
import { openClusterRings } from '../../src/ring/cluster.js';
import { deviceJson, presentDevices } from '../../src/ring/device.js';
import type { PathHash } from '../../src/ring/path-hash.js';
import type { Ring } from '../../src/ring/ring.js';
import { ringV1 } from '../ring/support.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { openLabTransport } from './support.js';

const run = promisify(execFile);
const CONTEXT = { requestId: 'tx-disorder' };
const ACCOUNT = 'AUTH_test';
const CONTAINER = 'direct-disorder';
/** The lab has four devices, and three replicas of each object. */
const REPLICAS = 3;

/** Replicas, rings or both are not as they should be. Replicas are changed on their devices. */
describeWith(SWIFT_NEEDS, 'direct reads of a cluster in disorder', function () {
  this.timeout(120_000);
  const folder = useTempFolderOnce('direct-disorder');
  const lab = useOnce(sharedSwiftLab);
  let ring: Ring;
  let hash: PathHash;
  const proxies = useOnce(() => openLabTransport(lab()), 'close');
  let direct: SwiftTransport | undefined;
  let ways: string[] = [];
  let opened = 0;

  before(async () => {
    const cluster = await openClusterRings({ ringsDir: lab().state.swiftConf, swiftConf: '' });
    ring = cluster.rings.ring('object')!;
    hash = cluster.hash;
    await send(proxies(), { method: 'PUT', headers: { 'x-storage-policy': 'gold' } });
  });

  beforeEach(() => {
    ways = [];
  });

  afterEach(async () => {
    await direct?.close();
    direct = undefined;
  });

  async function send(
    transport: SwiftTransport,
    request: Partial<SwiftRequest>,
  ): Promise<{ status: number; text: string }> {
    const response = await transport.request({
      context: CONTEXT,
      method: 'GET',
      account: ACCOUNT,
      container: CONTAINER,
      ...request,
    });
    return { status: response.status, text: await response.text(1_000_000) };
  }

  async function put(object: string, text: string): Promise<void> {
    await write(object, { method: 'PUT', body: Buffer.from(text) });
  }

  async function remove(object: string): Promise<void> {
    await write(object, { method: 'DELETE' });
  }

  /** Again, until all replicas are alike: one that was busy may have been left out. */
  async function write(object: string, request: Partial<SwiftRequest>): Promise<void> {
    const folders = devicesOf(object).primaries.map((device) => replica(object, device));
    await eventually(
      async () => {
        const { status } = await send(proxies(), { object, ...request });
        const files = folders.map((path) => readdir(path).catch(() => []));
        return { status, files: (await Promise.all(files)).map((names) => names.join()) };
      },
      ({ status, files }) => status < 500 && files[0] !== '' && new Set(files).size === 1,
    );
  }

  /** Names of the devices that have the object, and of the one that has not. */
  function devicesOf(object: string): { primaries: string[]; other: string } {
    const partition = ring.partition(hash.hex(ACCOUNT, CONTAINER, object));
    const primaries = ring.primaries(partition).map(({ device }) => device);
    const all = presentDevices(ring.data.devices).map(({ device }) => device);
    const [other] = all.filter((name) => !primaries.includes(name));
    return { primaries, other: other! };
  }

  /** The folder of the object on a device. */
  function replica(object: string, device: string): string {
    const hex = hash.hex(ACCOUNT, CONTAINER, object);
    const { folder: root } = lab().state.devices.find(({ name }) => name === device)!;
    return join(root, 'objects', String(ring.partition(hex)), hex.slice(-3), hex);
  }

  /** Has some of the object's replicas miss what `change` does. */
  async function missed(object: string, devices: readonly string[], change: () => Promise<void>) {
    const kept = devices.map((device) => {
      const path = replica(object, device);
      return { path, copy: `${path}.kept` };
    });
    for (const { path, copy } of kept) await copyReplica(path, copy);
    await change();
    for (const { path, copy } of kept) {
      await rm(path, { recursive: true });
      await rename(copy, path);
    }
  }

  /**
   * A gateway that asks devices in this order, of a ring that gives each object to the primaries
   * that it has, or to the devices that are named.
   */
  async function open(order: readonly string[], owners?: readonly string[]): Promise<void> {
    const rings = join(folder(), `rings-${opened++}`);
    await cp(lab().state.swiftConf, rings, { recursive: true });
    const { devices, rows, partPower } = ring.data;
    const idOf = (name: string): number => devices.findIndex((each) => each?.device === name);
    const given = owners?.map((name) => Array<number>(2 ** partPower).fill(idOf(name)));
    const devs = devices.map(
      (each) => each && { ...deviceJson(each), zone: order.indexOf(each.device) + 1 },
    );
    const header = {
      devs,
      part_shift: 32 - partPower,
      replica_count: given?.length ?? REPLICAS,
      version: 1,
    };
    const own = given ?? rows.map((row) => [...row]);
    await writeFile(join(rings, 'object.ring.gz'), ringV1(header, own));
    const { transport } = await openDirect(openLabTransport(lab()), {
      ringsDir: rings,
      swiftConf: '',
      readAffinity: 'r1z1=1,r1z2=2,r1z3=3,r1z4=4',
      hedgeMs: 0,
      connectionsMax: 16,
      connectTimeoutMs: 10_000,
      nodeTimeoutMs: 20_000,
      keepAliveMs: 10_000,
      onRead: (way) => ways.push(way),
    });
    direct = transport;
    await direct.info();
    await send(direct, { method: 'HEAD' });
  }

  function read(object: string, headers: Record<string, string> = {}) {
    return send(direct!, { object, headers });
  }

  it('find what was given to other devices than their ring says', async () => {
    await put('moved', 'bytes');
    const { primaries, other } = devicesOf('moved');
    await open([other, ...primaries], [other]);
    expect(await read('moved')).to.deep.equal({ status: 200, text: 'bytes' });
    expect(await read('moved', { range: 'bytes=1-2' })).to.deep.equal({ status: 206, text: 'yt' });
    expect((await send(direct!, { method: 'HEAD', object: 'moved' })).status).to.equal(200);
    expect(ways).to.deep.equal(['missing', 'missing', 'missing']);
  });

  it('find what only some of the devices of their ring have', async () => {
    await put('half moved', 'bytes');
    const { primaries, other } = devicesOf('half moved');
    await open([other, ...primaries], [other, primaries[0]!]);
    expect(await read('half moved')).to.deep.equal({ status: 200, text: 'bytes' });
    expect(ways).to.deep.equal(['direct']);
  });

  it('find what is on handoffs alone, as in the middle of a rebalance', async () => {
    await put('handed off', 'bytes');
    const { primaries, other } = devicesOf('handed off');
    const handoff = replica('handed off', other);
    await mkdir(dirname(handoff), { recursive: true });
    await copyReplica(replica('handed off', primaries[0]!), handoff);
    for (const device of primaries) await rm(replica('handed off', device), { recursive: true });
    await open(primaries);
    expect(await read('handed off')).to.deep.equal({ status: 200, text: 'bytes' });
    expect(ways).to.deep.equal(['missing']);
  });

  it('find an object of which one replica is behind by one write, and the newest where it has to be', async () => {
    const { primaries } = devicesOf('behind');
    await put('behind', 'old');
    await missed('behind', primaries.slice(0, 1), () => put('behind', 'new'));
    await open(primaries);
    // As through a proxy: any one server that has it answers for it.
    expect((await read('behind')).text).to.equal('old');
    expect(await read('behind', { 'x-newest': 'true' })).to.deep.equal({
      status: 200,
      text: 'new',
    });
    await direct!.close();
    await open([...primaries].reverse());
    expect((await read('behind')).text).to.equal('new');
    expect(ways).to.deep.equal(['direct', 'newest', 'direct']);
  });

  it('find an object that was written again where one replica knows of its deletion alone', async () => {
    const { primaries } = devicesOf('again');
    await put('again', 'old');
    await remove('again');
    await missed('again', primaries.slice(0, 1), () => put('again', 'new'));
    await open(primaries);
    expect(await read('again')).to.deep.equal({ status: 200, text: 'new' });
    expect(ways).to.deep.equal(['direct']);
  });

  it('leave an object to the proxies of which one replica knows that it was deleted', async () => {
    const { primaries } = devicesOf('deleted');
    await put('deleted', 'old');
    await missed('deleted', primaries.slice(1), () => remove('deleted'));
    await open(primaries);
    // A proxy believes the deletion when it asks that replica first, and the others otherwise.
    const { status, text } = await read('deleted');
    if (status !== 404) expect({ status, text }).to.deep.equal({ status: 200, text: 'old' });
    expect(ways).to.deep.equal(['missing']);
  });
});

/** With its extended attributes, which are the object's metadata. */
async function copyReplica(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]);
}
