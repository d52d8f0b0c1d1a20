import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { S3TestClient, type S3Answer } from '../support/s3-client.js';
import { eventually } from '../support/eventually.js';
import { Companion } from './companion.js';
import { completeDocument, MIB, partList, patternBytes, UploadBench } from './multipart-bench.js';

describe('readers of multipart objects', () => {
  const bench = new UploadBench();
  before(() => bench.start());
  after(() => bench.stop());

  it('read on when the object is overwritten under them', async () => {
    const body = Buffer.concat([1, 2, 3, 4, 5, 6].map((seed) => patternBytes(6 * MIB, seed)));
    const uploadId = await bench.create('/parts/read');
    const etags: string[] = [];
    for (let part = 0; part < 6; part++) {
      const bytes = body.subarray(part * 6 * MIB, (part + 1) * 6 * MIB);
      etags.push(await bench.part('/parts/read', uploadId, part + 1, bytes));
    }
    await bench.complete('/parts/read', uploadId, partList(etags));

    const { endpoint, accessKey, secretKey } = bench.service;
    const sdk = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    });
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

/** Rounds of each client; the rest follows from how they meet. */
const CLIENTS = 8;
const ROUNDS = 60;
const KEYS = ['/parts/a', '/parts/b', '/parts/c'];

describe('clients that fight for the same keys', function () {
  // A guard: many fsyncs on a machine that may be slow.
  this.timeout(120_000);

  const bench = new UploadBench({ segment_grace_ms: 1500 });
  let companion: Companion;
  before(async () => {
    await bench.start();
    companion = await Companion.open(bench.service);
  });
  after(async () => {
    await companion.close();
    await bench.stop();
  });

  it('read nothing but whole bodies, and leave no part behind', async () => {
    const clients = Array.from({ length: CLIENTS }, (_, index) => new Fighter(bench, index));
    await Promise.all(clients.map((client) => client.fight()));
    const seen = clients.reduce((sum, { reads }) => sum + reads, 0);
    expect(seen, 'bodies that were read').to.be.greaterThan(0);

    // Nothing is open, and every part that is left belongs to an object.
    const open = await bench.s3.get('/parts?uploads');
    expect(open.text).not.to.contain('<Upload>');
    const leftOver = await eventually(
      async () => [await companion.names('parts'), await companion.inUse('parts')],
      ([names = [], inUse = []]) => names.length === inUse.length,
    );
    expect(leftOver[0]).to.have.members(leftOver[1] ?? []);
    for (const key of KEYS) {
      const answer = await bench.s3.get(key);
      if (answer.status !== 404) expectWhole(answer);
      await bench.s3.delete(key);
    }
    await eventually(
      () => companion.names('parts'),
      (names) => names.length === 0,
    );
  });
});

/** A body that tells whether it is whole: its length and seed stand at its beginning. */
function selfDescribing(seed: number): Buffer {
  const size = 1000 + ((seed * 7919) % 60_000);
  const body = patternBytes(size, seed);
  body.writeUInt32BE(size, 0);
  body.writeUInt32BE(seed, 4);
  return body;
}

function expectWhole({ status, body, text }: S3Answer): void {
  expect(status, text.slice(0, 300)).to.equal(200);
  const expected = selfDescribing(body.readUInt32BE(4));
  expect(body.equals(expected), 'a body that nobody wrote').to.equal(true);
}

/** One client with its own connection; what it does follows from its number and the round. */
class Fighter {
  reads = 0;
  #seed: number;
  readonly #s3: S3TestClient;

  constructor(
    private readonly bench: UploadBench,
    index: number,
  ) {
    this.#seed = index * 100_000;
    this.#s3 = new S3TestClient(bench.service);
  }

  async fight(): Promise<void> {
    const moves = [
      this.#completeTwice,
      this.#completeOrAbort,
      this.#completeOtherParts,
      this.#completeWhileUploading,
      this.#overwrite,
      this.#copyOntoAnother,
    ];
    for (let round = 0; round < ROUNDS; round++) {
      const seed = ++this.#seed;
      const choice = Math.imul(seed, 2_654_435_761) >>> 8;
      const key = KEYS[choice % KEYS.length] ?? '';
      const move = moves[(choice >>> 4) % moves.length];
      await move?.call(this, key, seed);
      await this.#read(KEYS[round % KEYS.length] ?? '');
      if (seed % 11 === 0) await this.#s3.delete(key);
    }
    await this.#s3.close();
  }

  async #read(key: string): Promise<void> {
    const answer = await this.#s3.get(key);
    if (answer.status === 404) return;
    expectWhole(answer);
    this.reads++;
  }

  /** Both say the same. */
  async #completeTwice(key: string, seed: number): Promise<void> {
    const { uploadId, etags } = await this.#upload(key, [selfDescribing(seed)]);
    const answers = await Promise.all([
      this.bench.complete(key, uploadId, partList(etags)),
      this.#complete(key, uploadId, etags),
    ]);
    // The second one may find that somebody else has overwritten the object by now.
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).to.equal(200);
    expect(statuses[1]).to.be.oneOf([200, 404]);
  }

  /** One of them wins. */
  async #completeOrAbort(key: string, seed: number): Promise<void> {
    const { uploadId, etags } = await this.#upload(key, [selfDescribing(seed)]);
    const [done, aborted] = await Promise.all([
      this.#complete(key, uploadId, etags),
      this.bench.s3.delete(`${key}?uploadId=${uploadId}`),
    ]);
    const outcome = [done.status, aborted.status];
    expect(outcome).to.satisfy(([one, other]: number[]) =>
      one === 200 ? other === 404 : one === 404 && other === 204,
    );
  }

  /** Both are right; one of them makes the object. */
  async #completeOtherParts(key: string, seed: number): Promise<void> {
    const bodies = [selfDescribing(seed), selfDescribing(seed + 50_000)];
    const { uploadId, etags } = await this.#upload(key, bodies);
    const parts = partList(etags);
    const answers = await Promise.all(
      parts.map((part) => this.bench.complete(key, uploadId, [part])),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([200, 404]);
  }

  /** The part that is replaced is the object's, or it is not: never half of both. */
  async #completeWhileUploading(key: string, seed: number): Promise<void> {
    const { uploadId, etags } = await this.#upload(key, [selfDescribing(seed)]);
    const again = selfDescribing(seed + 50_000);
    const [done, part] = await Promise.all([
      this.#complete(key, uploadId, etags),
      this.bench.tryPart(key, uploadId, 1, again),
    ]);
    if (done.status === 200) {
      expect(part.status).to.be.oneOf([200, 404]);
    } else {
      expect([done.code, part.status]).to.deep.equal(['InvalidPart', 200]);
      await this.bench.s3.delete(`${key}?uploadId=${uploadId}`);
    }
  }

  async #overwrite(key: string, seed: number): Promise<void> {
    expect((await this.#s3.put(key, selfDescribing(seed))).status).to.equal(200);
  }

  async #copyOntoAnother(key: string, seed: number): Promise<void> {
    const source = KEYS[seed % KEYS.length] ?? '';
    if (source === key) return;
    const answer = await this.#s3.put(key, '', { 'x-amz-copy-source': source });
    expect(answer.status).to.be.oneOf([200, 404, 409, 503]);
  }

  async #upload(
    key: string,
    bodies: readonly Buffer[],
  ): Promise<{ uploadId: string; etags: string[] }> {
    const uploadId = await this.bench.create(key);
    const etags: string[] = [];
    for (const [index, body] of bodies.entries()) {
      etags.push(await this.bench.part(key, uploadId, index + 1, body));
    }
    return { uploadId, etags };
  }

  #complete(key: string, uploadId: string, etags: readonly string[]): Promise<S3Answer> {
    const body = completeDocument(partList(etags));
    return this.#s3.send({ method: 'POST', path: `${key}?uploadId=${uploadId}`, body });
  }
}
