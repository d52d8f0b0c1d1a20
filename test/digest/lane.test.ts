import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';

import {
  createDigestFactory,
  type BodyDigest,
  type LaneTaskTiming,
} from '../../src/digest/index.js';
import { DIGEST_DEFAULTS } from '../../src/digest/lane.js';
import { useOnce } from '../support/fixture.js';

const MIB = 1024 * 1024;
const WANTED = { md5: true, sha256: false } as const;

async function failure(attempt: () => unknown): Promise<Error> {
  try {
    await attempt();
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a failure');
}

describe('a digest lane', () => {
  const folder = useOnce(() => mkdtempSync(join(tmpdir(), 'ringway-lane-')));

  after(() => {
    rmSync(folder(), { recursive: true });
  });

  /** A thread that does what the real one does, and dies when a body says so. */
  function mortalWorker(): string {
    const file = join(folder(), `mortal-${randomBytes(4).toString('hex')}.mjs`);
    writeFileSync(
      file,
      `import run from ${JSON.stringify(DIGEST_DEFAULTS.workerFile)};
       export default function (task) {
         if (task.bytes?.[0] === 0xdd) process.exit(3);
         if (task.bytes?.[0] === 0xde) throw new Error('broken');
         return run(task);
       }`,
    );
    return pathToFileURL(file).href;
  }

  it('asks for patience beyond its bounds, and goes on when there is room', async () => {
    const digests = createDigestFactory({ inlineBytesMax: 0, bodyBytesInFlightMax: 2 * MIB });
    const body = digests.create(WANTED, 64 * MIB);
    const chunk = randomBytes(MIB);
    let waits = 0;
    for (let i = 0; i < 64; i++) {
      const wait = body.update(chunk);
      if (wait === undefined) continue;
      waits += 1;
      await wait;
      expect(digests.stats().queued * DIGEST_DEFAULTS.batchBytesMax).to.be.at.most(2 * MIB);
    }
    expect(waits).to.be.greaterThan(0);
    await body.finish();
    expect(digests.stats().laneBytesTotal).to.equal(64 * MIB);
    await digests.close();
  });

  it('bounds all bodies of a lane together', async () => {
    const laneBytesInFlightMax = 3 * MIB;
    const digests = createDigestFactory({ inlineBytesMax: 0, laneBytesInFlightMax });
    const chunk = randomBytes(MIB);
    const bodies = Array.from({ length: 8 }, () => digests.create(WANTED, 4 * MIB));
    let waits = 0;
    const upload = async (body: BodyDigest): Promise<void> => {
      for (let i = 0; i < 4; i++) {
        const wait = body.update(chunk);
        if (wait !== undefined) waits += 1;
        await wait;
      }
      await body.finish();
    };
    await Promise.all(bodies.map(upload));
    // The thread cannot be ahead of the loop: of 8 that start at once, some must wait.
    expect(waits).to.be.greaterThan(4);
    expect(digests.stats()).to.deep.equal({ queued: 0, active: 0, laneBytesTotal: 32 * MIB });
    await digests.close();
  });

  it('lets go of an aborted body', async () => {
    const tasks: LaneTaskTiming[] = [];
    const digests = createDigestFactory({ inlineBytesMax: 0, onTask: (t) => tasks.push(t) });
    const body = digests.create(WANTED, 9 * MIB);
    await body.update(randomBytes(MIB));
    body.abort();
    body.abort();
    const unheard = digests.create(WANTED, MIB);
    await unheard.update(randomBytes(10));
    unheard.abort();
    // The lane is in order: once a later body is done, so is the abort.
    const later = digests.create(WANTED, MIB);
    await later.update(Buffer.from('later'));
    await later.finish();
    expect(digests.stats().active + digests.stats().queued).to.equal(0);
    const batches = Array<number>(4).fill(DIGEST_DEFAULTS.batchBytesMax);
    expect(tasks.map((task) => task.bytes)).to.deep.equal([...batches, 0, 5]);
    for (const { waitS, runS } of tasks) {
      expect(waitS).to.be.at.least(0);
      expect(runS).to.be.at.least(0);
    }
    await digests.close();
  });

  it('reports what it does while it does it', async () => {
    const digests = createDigestFactory({ inlineBytesMax: 0 });
    const body = digests.create(WANTED, MIB);
    await body.update(randomBytes(1000));
    const done = body.finish();
    expect(digests.stats()).to.deep.equal({ queued: 0, active: 1, laneBytesTotal: 0 });
    await done;
    expect(digests.stats()).to.deep.equal({ queued: 0, active: 0, laneBytesTotal: 1000 });
    await digests.close();
  });

  for (const [how, poison] of [
    ['exits', 0xdd],
    ['throws', 0xde],
  ] as const) {
    it(`fails its bodies when its thread ${how}, and starts again`, async () => {
      const digests = createDigestFactory({ inlineBytesMax: 0, workerFile: mortalWorker() });
      const innocent = digests.create(WANTED, 9 * MIB);
      await innocent.update(Buffer.alloc(MIB, 1));
      const poisoned = digests.create(WANTED, undefined);
      await poisoned.update(Buffer.alloc(10, poison));
      const error = await failure(() => poisoned.finish());
      expect(error.name).to.equal('DigestLaneError');
      const collateral = await failure(async () => {
        await innocent.update(Buffer.alloc(MIB, 1));
        await innocent.finish();
      });
      expect(collateral.name).to.equal('DigestLaneError');
      innocent.abort();

      const next = digests.create(WANTED, undefined);
      await next.update(Buffer.from('abc'));
      expect((await next.finish()).md5).to.equal('900150983cd24fb0d6963f7d28e17f72');
      await digests.close();
    });
  }

  it('fails, and does not hang, when the thread cannot start', async () => {
    const file = join(folder(), 'broken.mjs');
    writeFileSync(file, 'throw new Error("cannot start");');
    const digests = createDigestFactory({
      inlineBytesMax: 0,
      workerFile: pathToFileURL(file).href,
    });
    const body = digests.create(WANTED, undefined);
    await body.update(Buffer.from('abc'));
    expect((await failure(() => body.finish())).name).to.equal('DigestLaneError');
    await digests.close();
  });

  it('does not keep a process alive', async () => {
    const { Worker } = await import('node:worker_threads');
    const source = `
      import('${new URL('../../src/digest/index.js', import.meta.url).href}').then(async (m) => {
        const digests = m.createDigestFactory({ inlineBytesMax: 0 });
        const body = digests.create({ md5: true, sha256: false }, undefined);
        await body.update(Buffer.from('abc'));
        await body.finish();
      });`;
    const [code] = (await once(new Worker(source, { eval: true }), 'exit')) as [number];
    expect(code).to.equal(0);
  });
});
