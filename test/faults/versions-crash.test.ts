import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedStore } from '../../src/backend/embedded/index.js';
import { startService, type Service } from '../support/service.js';
import { S3TestClient } from '../support/s3-client.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';
import { Recorder } from './history/recorder.js';
import { auditArchive } from './race/archive-audit.js';
import { expectEventful, expectRight, lookAtEverything } from './race/last-look.js';
import { RaceClient } from './race/race-client.js';
import { Worker } from './race/workload.js';

const ROUNDS = 5;
const CLIENTS = 6;
const BUCKET = 'crash';
const KEYS = ['a', 'b', 'c', 'd'].map((name) => `key-${name}`);
/** Before the power is cut, so that every round has something to lose. */
const OPERATIONS_PER_ROUND = 120;

describe('versions, in a service that is killed at any moment', function () {
  this.timeout(120_000);
  let folder: string;

  before(async () => {
    folder = await makeTempFolder('versions-crash');
  });

  after(() => removeFolder(folder));

  it('are all there, each with its body and in order', async () => {
    const recorder = new Recorder();
    for (let round = 0; round < ROUNDS; round++) {
      const service = await start();
      const director = new RaceClient(`director-${round}`, recorder, [service], BUCKET);
      if (round === 0) await makeBucket(service);
      // What the kill left half done may be looked at first, or written to first.
      else if (round % 2 === 0) await lookAtEverything(director, KEYS);
      if (round !== 1) await director.setState(round === 3 ? 'Suspended' : 'Enabled');
      await director.close();
      await workUntilKilled(service, recorder, round);
    }
    const service = await start();
    const last = new RaceClient('last', recorder, [service], BUCKET);
    await lookAtEverything(last, KEYS);
    await last.close();
    expect(await service.stop()).to.equal(0);
    expectEventful(recorder.operations);
    expectRight({ operations: recorder.operations, problems: await audit() });
  });

  async function audit(): Promise<string[]> {
    const store = await openEmbeddedStore({ directory: join(folder, 'data', 'store') });
    const problems = await auditArchive(
      store,
      { account: 'AUTH_main', bucket: BUCKET },
      KEYS,
      true,
    );
    await store.close();
    return problems;
  }

  function start(): Promise<Service> {
    return startService({ dataDir: join(folder, 'data'), config: { log_level: 'error' } });
  }
});

async function makeBucket(service: Service): Promise<void> {
  const s3 = new S3TestClient(service);
  expect((await s3.put(`/${BUCKET}`)).status).to.equal(200);
  await s3.close();
}

async function workUntilKilled(service: Service, recorder: Recorder, round: number): Promise<void> {
  const killAt = recorder.count + OPERATIONS_PER_ROUND;
  let killed: Promise<void> | undefined;
  const work = async (name: string): Promise<void> => {
    const client = new RaceClient(name, recorder, [service], BUCKET);
    const worker = new Worker(client, KEYS);
    while (killed === undefined) {
      await worker.move();
      if (recorder.count >= killAt) killed ??= service.kill9();
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, i) => work(`client-${round}-${i}`)));
  await killed;
}
