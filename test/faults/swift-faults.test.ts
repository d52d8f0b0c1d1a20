import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { describeWith } from '../support/needs.js';
import { ringway } from '../support/ringway.js';
import { S3TestClient, type S3Address } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { STACK } from '../support/stack.js';
import { startSwiftLab, SWIFT_NEEDS, type SwiftLab } from '../support/swift-lab.js';
import { Stopwatch } from './history/recorder.js';
import { checkEventual, finalBodies, improperErrors } from './swift/check.js';
import { chosenFaults } from './swift/faults.js';
import { faultRow, renderTable, type FaultRow } from './swift/fault-table.js';
import { LARGE, Load } from './swift/load.js';
import { SwiftReader } from './swift/swift-reader.js';
import { skipBecause } from '../support/skip.js';

const NO_DEVICES = 'devices of their own need root and loop devices';

const BUCKET = 'faults';
/** The least that S3 allows for a part but the last. */
const PART_BYTES = 5 * 2 ** 20;

/** Operations. */
const BEFORE = 20;
const DURING = 40;
const RECOVERED = 20;
/** How many look for what lies there in the end: an hour leaves thousands of keys. */
const READERS = 4;

/** How often all faults come: 36 rounds of `RINGWAY_FAULTS=all` take an hour. */
const ROUNDS = Number(process.env.RINGWAY_FAULT_ROUNDS ?? 1);
const rounds = Array.from({ length: ROUNDS }, (_, at) => (ROUNDS === 1 ? '' : `, round ${at + 1}`));

describeWith(SWIFT_NEEDS, 'faults of a Swift cluster under load', function () {
  this.timeout(180_000);
  let lab: SwiftLab;
  let service: Service;
  let address: S3Address;
  let load: Load;
  let large: Buffer;
  const rows: FaultRow[] = [];

  before(async () => {
    // A server that does not answer is given up sooner than Swift's ten seconds.
    lab = await startSwiftLab({
      // Objects stay: those of a round take 35 MB of each device.
      deviceBytes: 2 ** 30 * Math.ceil(ROUNDS / 20),
      proxyOptions: { node_timeout: 3, recoverable_node_timeout: 1 },
    });
    service = await startService({
      configFile: lab.configFile(STACK === 'swift-direct'),
      listeners: 2,
    });
    const { key } = lab.user('test:tester');
    address = { endpoint: service.endpoint, accessKey: 'test:tester', secretKey: key };
    const s3 = new S3TestClient(address);
    expect((await s3.put(`/${BUCKET}`)).status).to.equal(200);
    large = await putLarge(s3);
    await s3.close();
    load = new Load(address, BUCKET);
    load.expect(LARGE, createHash('md5').update(large).digest('hex'));
  });

  after(async () => {
    await load.close();
    await service.stop();
    await lab.close();
  });

  afterEach(() => lab.heal());

  const faults = rounds.flatMap((round) => chosenFaults().map((fault) => ({ ...fault, round })));
  for (const [at, { title, inject, serves, needsDevices, round }] of faults.entries()) {
    it(`loses and mixes up nothing with ${title}${round}`, async function () {
      if (needsDevices === true && !lab.canFillDevices) skipBecause(this, NO_DEVICES);
      // A machine that fails again before others were repaired may take the only copy: docs/swift.md.
      if (at > 0 && at % chosenFaults().length === 0) await lab.runOnce('object-replicator');
      const first = load.operations.length;
      load.start();
      await load.phase(BEFORE, ['get', 'put']);
      const from = now();
      await inject(lab);
      await load.phase(DURING, serves);
      const undone = now();
      await lab.heal();
      await load.recovered(RECOVERED);
      await load.stop();
      const since = load.operations.slice(first);
      rows.push(faultRow(title, since, { from, undone }));
      expect(improperErrors(since)).to.deep.equal([]);
      expect(checkEventual(load.operations, since)).to.deep.equal([]);
    });
  }

  // What a reload and a killed listener cost clients is known without a cluster: `faults/soak`.
  for (const round of rounds.slice(1)) {
    it(`loses and mixes up nothing over a reload and a killed listener${round}`, async () => {
      const first = load.operations.length;
      load.start();
      await load.phase(BEFORE, ['get', 'put']);
      expect(await ringway(service, 'reload')).to.include({ code: 0 });
      const [listener] = service.pids();
      if (listener !== undefined) process.kill(listener, 'SIGKILL');
      await load.phase(DURING, ['get', 'put']);
      await load.recovered(RECOVERED);
      await load.stop();
      expect(checkEventual(load.operations, load.operations.slice(first))).to.deep.equal([]);
    });
  }

  it('does not deny what lies on servers that are away, where others were before', async () => {
    const s3 = new S3TestClient(address);
    const statuses = (keys: readonly string[]): Promise<number[]> =>
      Promise.all(keys.map(async (key) => (await s3.get(`/${BUCKET}/${key}`)).status));
    const keys = Array.from({ length: 8 }, (_, i) => `one-sided-${i}`);
    await lab.killServices('object-server.node2');
    for (const key of keys) {
      await eventually(
        () => s3.put(`/${BUCKET}/${key}`, Buffer.from(key)),
        ({ status }) => status === 200,
      );
    }
    await lab.startServices('object-server.node2');
    await lab.killServices('object-server.node1');
    expect(await statuses(keys)).to.not.include(404);
    await lab.heal();
    await eventually(
      () => statuses([...keys, 'never-written']),
      (found) => found.join() === [...keys.map(() => 200), 404].join(),
    );
    await s3.close();
  });

  it('stores nothing, and says so, where no disk has room', async function () {
    if (!lab.canFillDevices) skipBecause(this, NO_DEVICES);
    const s3 = new S3TestClient(address);
    await lab.fillDevices(...lab.state.devices.map(({ name }) => name));
    const refused = await s3.put(`/${BUCKET}/no-room`, randomBytes(100_000));
    expect({ status: refused.status, code: refused.code }).to.deep.equal({
      status: 503,
      code: 'ServiceUnavailable',
    });
    // A proxy that was told so by every server asks none of them anything for a second.
    await eventually(
      () => s3.get(`/${BUCKET}/${LARGE}`),
      ({ body }) => body.equals(large),
    );
    await lab.heal();
    await eventually(
      () => s3.put(`/${BUCKET}/room-again`, randomBytes(100_000)),
      ({ status }) => status === 200,
    );
    expect((await s3.get(`/${BUCKET}/no-room`)).status).to.equal(404);
    await s3.close();
  });

  it('has everything that was acknowledged in the end, and lists it', async function () {
    this.timeout(180_000 * ROUNDS);
    // Listings get the entries that they missed, also because their object server was paused.
    await lab.runOnce('updater');
    await lab.runOnce('container-replicator');
    const allowed = finalBodies(load.operations);
    expect(allowed.size).to.be.above(20);
    const reader = await SwiftReader.open(lab, 'test:tester', BUCKET);
    const listed = new Set(await reader.list());
    const lost = new Set<string>();
    const keys = [...allowed].values();
    const look = async (): Promise<void> => {
      for (const [key, bodies] of keys) {
        if (!bodies.has(await reader.newestMd5(key))) lost.add(key);
      }
    };
    await Promise.all(Array.from({ length: READERS }, look));
    // The table of docs/swift.md.
    if (process.env.RINGWAY_FAULTS === 'all') process.stdout.write(`${renderTable(rows, lost)}\n`);
    expect([...lost]).to.deep.equal([]);
    expect([...allowed.keys()].filter((key) => !listed.has(key))).to.deep.equal([]);
  });

  async function putLarge(s3: S3TestClient): Promise<Buffer> {
    const body = randomBytes(2 * PART_BYTES);
    const path = `/${BUCKET}/${LARGE}`;
    const started = await s3.send({ method: 'POST', path: `${path}?uploads=` });
    const upload = /<UploadId>([^<]+)/.exec(started.text)?.[1] ?? '';
    const parts = [body.subarray(0, PART_BYTES), body.subarray(PART_BYTES)];
    const entries: string[] = [];
    for (const [index, part] of parts.entries()) {
      const number = index + 1;
      const put = await s3.put(`${path}?partNumber=${number}&uploadId=${upload}`, part);
      entries.push(
        `<Part><PartNumber>${number}</PartNumber><ETag>${put.headers.etag}</ETag></Part>`,
      );
    }
    const done = await s3.send({
      method: 'POST',
      path: `${path}?uploadId=${upload}`,
      body: `<CompleteMultipartUpload>${entries.join('')}</CompleteMultipartUpload>`,
    });
    expect(done.status, done.text).to.equal(200);
    return body;
  }
});

/** As the clients of the load measure it. */
function now(): number {
  return new Stopwatch().stop().start;
}
