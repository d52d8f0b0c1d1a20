import { expect } from 'chai';
import { Companion } from '../companion.js';
import { at, deleteRequest, expectAnswer, useVersionsBench } from './bench.js';

/** Buckets with versions: when they are empty, and what is left of them. */
describe('deletion of buckets with versions over the wire', () => {
  const bench = useVersionsBench();

  async function containers(): Promise<string[]> {
    const companion = await Companion.open(bench().service);
    try {
      return await companion.containers();
    } finally {
      await companion.close();
    }
  }

  async function expectNotEmpty(bucket: string): Promise<void> {
    expectAnswer(await bench().s3.delete(bucket), 409, 'BucketNotEmpty');
    expect((await bench().s3.head(bucket)).status).to.equal(200);
  }

  async function expectGone(bucket: string): Promise<void> {
    expect((await bench().s3.delete(bucket)).status).to.equal(204);
    expectAnswer(await bench().s3.get(`${bucket}?versions`), 404, 'NoSuchBucket');
    const left = (await containers()).filter((name) => name.startsWith(bucket.slice(1)));
    expect(left).to.deep.equal([]);
  }

  async function empty(bucket: string): Promise<void> {
    for (const { key, id } of await bench().versions(bucket)) {
      expect((await bench().s3.delete(at(`${bucket}/${key}`, id))).status).to.equal(204);
    }
  }

  it('refuses while there is a version, a noncurrent one too', async () => {
    const bucket = await bench().bucket('noncurrent', 'Enabled');
    const id = await bench().put(`${bucket}/key`, 'body');
    await expectNotEmpty(bucket);
    const marker = await bench().mark(`${bucket}/key`);
    await expectNotEmpty(bucket);
    await bench().s3.delete(at(`${bucket}/key`, id));
    await bench().expectHistory(bucket, 'key', `DeleteMarker ${marker} latest`);
    await expectNotEmpty(bucket);
    await bench().s3.delete(at(`${bucket}/key`, marker));
    await expectGone(bucket);
  });

  it('refuses while there is nothing but a delete marker', async () => {
    const bucket = await bench().bucket('marker-only', 'Enabled');
    await bench().mark(`${bucket}/key`);
    await expectNotEmpty(bucket);
    await empty(bucket);
    await expectGone(bucket);
  });

  it('refuses while there is an object from before, or the version null', async () => {
    const bucket = await bench().bucket('null-only');
    await bench().put(`${bucket}/plain`, 'plain');
    await bench().become(bucket, 'Enabled');
    await expectNotEmpty(bucket);
    const id = await bench().put(`${bucket}/plain`, 'new');
    await bench().s3.delete(at(`${bucket}/plain`, id));
    await expectNotEmpty(bucket);
    await bench().become(bucket, 'Suspended');
    await bench().mark(`${bucket}/plain`);
    await expectNotEmpty(bucket);
    await empty(bucket);
    await expectGone(bucket);
  });

  it('leaves nothing to a bucket of the same name', async () => {
    const bucket = await bench().bucket('again', 'Enabled');
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await bench().put(`${bucket}/key`, `${i}`));
    await bench().mark(`${bucket}/key`);
    await empty(bucket);
    await expectGone(bucket);

    await bench().bucket('again');
    expect(await bench().versions(bucket)).to.deep.equal([]);
    const state = await bench().s3.get(`${bucket}?versioning`);
    expect(state.text).to.not.contain('<Status>');
    await bench().become(bucket, 'Enabled');
    expect(await bench().versions(bucket)).to.deep.equal([]);
    const missing = await bench().s3.get(`${bucket}/key`);
    expectAnswer(missing, 404, 'NoSuchKey');
    expect(missing.headers).to.not.have.property('x-amz-delete-marker');
    expectAnswer(await bench().s3.get(at(`${bucket}/key`, ids[0]!)), 404, 'NoSuchVersion');
    const id = await bench().put(`${bucket}/key`, 'anew');
    await bench().expectHistory(bucket, 'key', `Version ${id} latest`);
  });

  it('takes a bucket that never had a version with it', async () => {
    for (const state of ['Enabled', 'Suspended'] as const) {
      await expectGone(await bench().bucket(`never-${state.toLowerCase()}`, state));
    }
  });

  it('keeps every version that was acknowledged while the bucket is being deleted', async () => {
    for (let round = 0; round < 5; round++) {
      const bucket = await bench().bucket(`fought-over-${round}`, 'Enabled');
      const [put, deleted] = await Promise.all([
        bench().s3.put(`${bucket}/key`, 'body'),
        bench().s3.delete(bucket),
      ]);
      expect(deleted.status).to.be.oneOf([204, 409]);
      if (put.status !== 200) continue;
      expect(deleted.status, 'the object would be lost').to.equal(409);
      expect(await bench().read(`${bucket}/key`)).to.equal('body');
    }
  });

  it('empties as clients do: page by page, with DeleteObjects', async () => {
    const bucket = await bench().bucket('emptied', 'Enabled');
    for (let i = 0; i < 30; i++) {
      await bench().put(`${bucket}/key-${i % 10}`, `${i}`);
      if (i % 3 === 0) await bench().mark(`${bucket}/key-${i % 10}`);
    }
    for (;;) {
      const page = await bench().versions(bucket, '&max-keys=7');
      if (page.length === 0) break;
      const objects = page.map(({ key, id }) => `<Key>${key}</Key><VersionId>${id}</VersionId>`);
      const { text } = await bench().s3.send(deleteRequest(bucket, objects, {}, 'quiet'));
      expect(text).to.not.contain('<Error>');
    }
    await expectGone(bucket);
  });
});
