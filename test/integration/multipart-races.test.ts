import { GetObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { Companion } from './companion.js';
import {
  added,
  describeTally,
  expectWhole,
  Fighter,
  KEYS,
  WHOLE_READ,
} from './multipart-fighter.js';
import { MIB, partList, patternBytes, sdkOf, useUploadBench } from './multipart-bench.js';

describe('readers of multipart objects', () => {
  const bench = useUploadBench();

  it('read on when the object is overwritten under them', async () => {
    const body = Buffer.concat([1, 2, 3, 4, 5, 6].map((seed) => patternBytes(6 * MIB, seed)));
    const uploadId = await bench.create('/parts/read');
    const etags: string[] = [];
    for (let part = 0; part < 6; part++) {
      const bytes = body.subarray(part * 6 * MIB, (part + 1) * 6 * MIB);
      etags.push(await bench.part('/parts/read', uploadId, part + 1, bytes));
    }
    await bench.complete('/parts/read', uploadId, partList(etags));

    const sdk = sdkOf(bench.service);
    const { Body } = await sdk.send(new GetObjectCommand({ Bucket: 'parts', Key: 'read' }));
    const chunks: Buffer[] = [];
    let overwritten = false;
    for await (const chunk of Body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      if (!overwritten) {
        overwritten = true;
        await bench.s3.put('/parts/read', 'over');
        await bench.s3.delete('/parts/read');
      }
    }
    sdk.destroy();
    expect(Buffer.concat(chunks).equals(body)).to.equal(true);
  });
});

const IS_LARGE = process.env.RINGWAY_LARGE === '1';
const CLIENTS = Number(process.env.RINGWAY_FIGHT_CLIENTS ?? (IS_LARGE ? 64 : 8));
/** Each client goes on for so long, and for so many rounds; the rest follows from how they meet. */
const SECONDS = Number(process.env.RINGWAY_FIGHT_SECONDS ?? (IS_LARGE ? 60 : 0));
const ROUNDS = 60;

describe('clients that fight for the same keys', function () {
  // A guard: many fsyncs on a machine that may be slow.
  this.timeout(120_000 + SECONDS * 10_000);

  const bench = useUploadBench({ segment_grace_ms: 1500, janitor_interval_ms: 0 });
  const companion = useOnce(() => Companion.open(bench.service), 'close');

  it('read nothing but whole bodies, and leave no part behind', async () => {
    const clients = Array.from(
      { length: CLIENTS },
      (_, index) => new Fighter(bench.service, index),
    );
    const goOnUntil = Date.now() + SECONDS * 1000;
    await Promise.all(
      clients.map((client) => client.fight((round) => round < ROUNDS || Date.now() < goOnUntil)),
    );
    const tally = clients.map((client) => client.tally).reduce(added);
    expect(tally[WHOLE_READ], 'bodies that were read').to.be.greaterThan(0);
    if (SECONDS > 0)
      console.info(`      ${CLIENTS} clients, ${SECONDS} s: ${describeTally(tally)}`);

    // Nothing is open, and every part that is left belongs to an object.
    const open = await bench.s3.get('/parts?uploads');
    expect(open.text).not.to.contain('<Upload>');
    const leftOver = await eventually(
      async () => [await companion().names('parts'), await companion().inUse('parts')],
      ([names = [], inUse = []]) => names.length === inUse.length,
    );
    expect(leftOver[0]).to.have.members(leftOver[1] ?? []);
    for (const key of KEYS) {
      const answer = await bench.s3.get(key);
      if (answer.status !== 404) expectWhole(answer);
      await bench.s3.delete(key);
    }
    await eventually(
      () => companion().names('parts'),
      (names) => names.length === 0,
    );
  });
});
