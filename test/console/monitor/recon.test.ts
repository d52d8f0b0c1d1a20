import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import * as facts from '../../../console/recon/node-facts.js';
import { Rings } from '../../../console/recon/ring-devices.js';
import { ReconSampler } from '../../../console/surfaces/monitor/sources/recon-sampler.js';
import { device, goldenFile, ringV1 } from '../../ring/support.js';
import { useEach } from '../../support/fixture.js';
import { freePort } from '../../support/free-port.js';
import { serve, type Served } from '../../support/serve.js';
import { removeFolder, useTempFolder } from '../../support/temp-folder.js';

const NOW_S = 1_800_000_000;

/** A ring of one partition, which all these devices have a replica of. */
function ringOf(devs: readonly (object | null)[]): Buffer {
  const rows = devs.flatMap((one, id) => (one === null ? [] : [[id]]));
  const header = { byteorder: 'little', devs, part_shift: 32, replica_count: rows.length };
  return ringV1(header, rows);
}

/** Whether servers take their devices for there: 507 otherwise. */
let isServed = true;

/** A server of Swift with recon. */
function fakeServer(answers: Readonly<Record<string, unknown>>): Promise<Served> {
  return serve((request, response) => {
    const what = (request.url ?? '').replace('/recon/', '');
    const known = Object.hasOwn(answers, what);
    const missing = request.method === 'HEAD' && !isServed ? 507 : 404;
    response.writeHead(known ? 200 : missing).end(known ? JSON.stringify(answers[what]) : 'no');
  });
}

describe('rings', () => {
  const folder = useTempFolder('rings');

  it('say where their devices are', async () => {
    await writeFile(
      join(folder(), 'object-1.ring.gz'),
      ringOf([null, device(1, { device: 'd1' })]),
    );
    await writeFile(join(folder(), 'object.builder'), 'no ring');
    const [found] = await new Rings(folder()).load();
    expect(found?.name).to.equal('object-1.ring.gz');
    expect(found?.devices).to.deep.equal([
      { type: 'object', device: 'd1', ip: '10.0.0.1', port: 6200 },
    ]);
  });

  it('are read in both versions of the format', async () => {
    await writeFile(join(folder(), 'object.ring.gz'), await goldenFile('r0.v2.ring.gz'));
    const [found] = await new Rings(folder()).load();
    expect(found?.devices).not.to.deep.equal([]);
  });

  it('are read again when they change', async () => {
    const rings = new Rings(folder());
    const file = join(folder(), 'account.ring.gz');
    await writeFile(file, ringOf([device(0)]));
    expect((await rings.load())[0]?.devices).to.have.length(1);
    await writeFile(file, ringOf([device(0), device(1, { device: 'another-one' })]));
    expect((await rings.load())[0]?.devices).to.have.length(2);
  });

  for (const [title, bytes] of [
    ['no gzip', Buffer.from('R1NG')],
    ["somebody's pickle", gzipSync(Buffer.from('\x80\x02}q\x00.', 'latin1'))],
    ['a later version', gzipSync(Buffer.from('R1NG\0\x09', 'latin1'))],
    ['something cut', gzipSync(Buffer.from('R1NG\0\x01\xff\xff\xff\xff{', 'latin1'))],
    ['a list of nonsense', gzipSync(Buffer.concat([Buffer.from('R1NG\0\x01\0\0\0\x0c', 'latin1'), Buffer.from('{"devs":[3]}')]))], // prettier-ignore
  ] as const) {
    it(`are refused when they are ${title}`, async () => {
      await writeFile(join(folder(), 'object.ring.gz'), bytes);
      const failure = await new Rings(folder()).load().catch((error: unknown) => error);
      expect(failure).to.have.property('name', 'RingFileError');
    });
  }
});

describe('facts of recon', () => {
  it('are in minutes for objects and in seconds for databases', () => {
    const object = { object_replication_time: 2, object_replication_last: 100 };
    expect(facts.replication('object', object)).to.deep.equal({
      passS: 120,
      lastUnixS: 100,
      pushedShare: undefined,
    });
    const container = { replication_time: 2, replication_last: 100 };
    expect(facts.replication('container', container)).to.deep.equal({ passS: 2, lastUnixS: 100 });
  });

  for (const nothing of [undefined, null, 3, 'x', [], {}, { async_pending: null, devices: '' }]) {
    it(`are unknown, never 0, in ${JSON.stringify(nothing)}`, () => {
      expect(facts.asyncPending(nothing).count).to.equal(undefined);
      expect(facts.replication('object', nothing).lastUnixS).to.equal(undefined);
      expect([...facts.quarantined(nothing)]).to.deep.equal([]);
      expect(facts.disks(nothing)).to.deep.equal([]);
      expect(facts.ringMismatches(nothing, [])).to.equal(undefined);
      expect(facts.expirerState(nothing)).to.equal(undefined);
    });
  }

  it('have no size for disks that are not mounted', () => {
    expect(facts.disks([{ device: 'd1', size: '', used: '', mounted: false }])).to.deep.equal([
      { device: 'd1', mounted: false, size_bytes: null, used_bytes: null },
    ]);
  });
});

describe('the recon of a cluster', () => {
  const folder = useTempFolder('recon');
  const nobody = useEach(freePort);
  let server: Served;
  let sampler: ReconSampler;

  beforeEach(() => {
    isServed = true;
  });
  afterEach(() => {
    sampler.close();
    server.close();
  });

  async function start(answers: Readonly<Record<string, unknown>>): Promise<void> {
    server = await fakeServer(answers);
    const ring = ringOf([
      device(0, { device: 'd1', ip: '127.0.0.1', port: server.port }),
      device(1, { device: 'd2', ip: '127.0.0.2', port: nobody() }),
    ]);
    await writeFile(join(folder(), 'object.ring.gz'), ring);
    const node = (name: string, storage_ip: string) => ({ name, storage_ip, devices: [], services: {} }); // prettier-ignore
    const clusterNodes = [node('a', '127.0.0.1'), node('b', '127.0.0.2'), node('c', '127.0.0.3')];
    const options = { clusterNodes, storeDir: folder() };
    sampler = new ReconSampler({ options, now: () => NOW_S * 1000 });
  }

  async function measures(): Promise<Map<string, number>> {
    const sampled = await sampler.sample(NOW_S * 1000);
    return new Map(
      sampled.measures.map(({ panel, labels, value }) => [
        [panel, ...Object.values(labels)].join(' '),
        value,
      ]),
    );
  }

  it('is what its servers say', async () => {
    await start({
      time: NOW_S + 2,
      async: { async_pending: 7, async_pending_last: NOW_S - 60 },
      quarantined: { accounts: 0, containers: 1, objects: 2, policies: {} },
      diskusage: [
        { device: 'd1', size: 1000, used: 900, avail: 100, mounted: true },
        { device: 'd9', size: '', used: '', avail: '', mounted: false },
      ],
      unmounted: [{ device: 'd9', mounted: false }],
      ringmd5: { '/etc/swift/object.ring.gz': createHash('md5').update('other').digest('hex') },
      'replication/object': { object_replication_time: 1.5, object_replication_last: NOW_S - 300 },
    });
    expect(Object.fromEntries(await measures())).to.deep.equal({
      'nodes_online a': 1,
      'nodes_online b': 1,
      'services_up a object': 1,
      'services_up b object': 0,
      'clock_skew a': 2,
      'async_pending a': 7,
      'recon_age a': 60,
      'quarantined a accounts': 0,
      'quarantined a containers': 1,
      'quarantined a objects': 2,
      'replication_age a object': 300,
      'replication_pass a object': 90,
      'disk_used a d1': 0.9,
      'unmounted a': 1,
      'ring_mismatch a': 1,
      capacity_used: 0.9,
    });
    expect(sampler.nodes.map(({ name, online, services_up, reason }) => [name, online, services_up, reason])).to.deep.equal([
      ['a', true, 1, null],
      ['b', true, 0, 'none of its services answers'],
      ['c', null, 0, 'no ring has a device of this node'],
    ]); // prettier-ignore
  });

  it('misses no mount where devices are folders that servers serve, and one that they do not', async () => {
    const folders = {
      time: NOW_S,
      diskusage: [{ device: 'd1', size: '', used: '', avail: '', mounted: false }],
      unmounted: [{ device: 'd1', mounted: false }],
    };
    // Nobody has the object that is asked for: 404.
    await start(folders);
    expect((await measures()).get('unmounted a')).to.equal(0);
    isServed = false;
    expect((await measures()).get('unmounted a')).to.equal(1);
  });

  it('is unknown where a server has no recon, though it is up', async () => {
    await start({});
    expect(Object.fromEntries(await measures())).to.deep.equal({
      'nodes_online a': 1,
      'nodes_online b': 1,
      'services_up a object': 1,
      'services_up b object': 0,
    });
  });

  it('hears of an expirer only as long as it changes what it says', async () => {
    const expirer = { object_expiration_pass: 1, expired_last_pass: 3 };
    await start({ time: NOW_S, 'expirer/object': expirer });
    expect((await measures()).get('expirer_age a')).to.equal(0);
    const later = await sampler.sample((NOW_S + 100) * 1000);
    expect(later.measures.find(({ panel }) => panel === 'expirer_age')?.value).to.equal(100);
    expirer.expired_last_pass = 4;
    const last = await sampler.sample((NOW_S + 200) * 1000);
    expect(last.measures.find(({ panel }) => panel === 'expirer_age')?.value).to.equal(0);
  });

  it('is a failure where there are no rings', async () => {
    await start({ time: NOW_S });
    await removeFolder(folder());
    const failure = await sampler.sample(NOW_S * 1000).catch((error: unknown) => error);
    expect(failure).to.have.property('reason', 'the rings in store_dir cannot be read');
  });
});
