import { expect } from 'chai';
import { MIB, partList, patternBytes } from '../multipart-bench.js';
import { at, expectAnswer, textOf, useVersionsBench, VERSION_ID } from './bench.js';

/** All requests that make or remove an object make versions and delete markers alike. */
describe('writes of versions over the wire', () => {
  const bench = useVersionsBench();

  describe('CopyObject', () => {
    it('makes a version of the target, and names it', async () => {
      const bucket = await bench().bucket('copies', 'Enabled');
      await bench().put(`${bucket}/source`, 'source');
      const former = await bench().put(`${bucket}/target`, 'target');
      const copied = await bench().copy(`${bucket}/target`, `${bucket}/source`);
      const id = copied.headers['x-amz-version-id'] ?? '';
      expect(id).to.match(VERSION_ID);
      await bench().expectHistory(bucket, 'target', `Version ${id} latest`, `Version ${former}`);
      expect(await bench().read(`${bucket}/target`)).to.equal('source');
      expect(await bench().read(at(`${bucket}/target`, former))).to.equal('target');
      const [listed] = await bench().versions(bucket, '&prefix=target');
      expect(textOf(copied.text, 'LastModified')).to.equal(listed?.lastModified);
    });

    it('names the version of its source, the current one too', async () => {
      const bucket = await bench().bucket('named-sources', 'Enabled');
      const id = await bench().put(`${bucket}/source`, 'source');
      const plain = await bench().bucket('plain-target');
      const copied = await bench().copy(`${plain}/target`, `${bucket}/source`);
      expect(copied.headers['x-amz-copy-source-version-id']).to.equal(id);
      expect(copied.headers).to.not.have.property('x-amz-version-id');
      const got = await bench().s3.get(`${plain}/target`);
      expect([got.text, got.headers['x-amz-version-id']]).to.deep.equal(['source', undefined]);
    });

    it('onto itself, with REPLACE, makes a version and leaves the former', async () => {
      const bucket = await bench().bucket('onto-itself', 'Enabled');
      const former = await bench().put(`${bucket}/key`, 'body', { 'x-amz-meta-a': 'former' });
      const copied = await bench().copy(`${bucket}/key`, `${bucket}/key`, {
        'x-amz-metadata-directive': 'REPLACE',
        'x-amz-meta-a': 'latter',
      });
      expectAnswer(copied, 200);
      const metaOf = async (path: string) => (await bench().s3.head(path)).headers['x-amz-meta-a'];
      expect(await metaOf(`${bucket}/key`)).to.equal('latter');
      expect(await metaOf(at(`${bucket}/key`, former))).to.equal('former');
    });
  });

  describe('multipart uploads', () => {
    it('make one version, when they are completed, and the same when completed again', async () => {
      const bucket = await bench().bucket('uploads', 'Enabled');
      const path = `${bucket}/key`;
      const former = await bench().put(path, 'former');
      const { uploadId, parts } = await bench().smallUpload(path, 'in parts');
      await bench().expectHistory(bucket, 'key', `Version ${former} latest`);

      const first = await bench().complete(path, uploadId, parts);
      expectAnswer(first, 200);
      const id = first.headers['x-amz-version-id'] ?? '';
      expect(id).to.match(VERSION_ID);
      await bench().put(path, 'a newer one');
      const again = await bench().complete(path, uploadId, parts);
      expectAnswer(again, 200);
      expect(again.headers['x-amz-version-id']).to.equal(id);
      expect(textOf(again.text, 'ETag')).to.equal(textOf(first.text, 'ETag'));
      expect(await bench().history(bucket, 'key')).to.have.length(3);
      expect(await bench().read(path)).to.equal('a newer one');
      expect(await bench().read(at(path, id))).to.equal('in parts');
    });

    it('keep their parts while any version needs them', async () => {
      const bucket = await bench().bucket('large', 'Enabled');
      const path = `${bucket}/key`;
      const ids: string[] = [];
      const bodies = [1, 2].map((seed) => [patternBytes(5 * MIB, seed), Buffer.from(`${seed}`)]);
      for (const body of bodies) {
        const uploadId = await bench().create(path);
        const etags = await Promise.all(
          body.map((part, i) => bench().part(path, uploadId, i + 1, part)),
        );
        const done = await bench().complete(path, uploadId, partList(etags));
        ids.push(done.headers['x-amz-version-id'] ?? '');
      }
      const [first = '', second = ''] = ids;
      await bench().mark(path);
      const got = await bench().s3.get(at(path, first));
      expect(got.body.equals(Buffer.concat(bodies[0]!))).to.be.true;
      const part = await bench().s3.get(at(`${path}?partNumber=2`, second));
      expect([part.text, part.headers['x-amz-mp-parts-count']]).to.deep.equal(['2', '2']);
      expect((await bench().s3.delete(at(path, first))).status).to.equal(204);
      const kept = await bench().s3.get(at(path, second));
      expect(kept.body.equals(Buffer.concat(bodies[1]!))).to.be.true;
      expect(kept.headers.etag).to.match(/^"[0-9a-f]{32}-2"$/);
    });

    it('from before versions were kept become the version null', async () => {
      const bucket = await bench().bucket('adopted-parts');
      const path = `${bucket}/key`;
      const { uploadId, parts } = await bench().smallUpload(path, 'in parts');
      const before = await bench().complete(path, uploadId, parts);
      expect(before.headers).to.not.have.property('x-amz-version-id');
      await bench().become(bucket, 'Enabled');
      await bench().put(path, 'new');
      const got = await bench().s3.get(at(path, 'null'));
      expect(got.text).to.equal('in parts');
      expect(got.headers.etag).to.equal(textOf(before.text, 'ETag').replaceAll('&quot;', '"'));
      const again = await bench().complete(path, uploadId, parts);
      expectAnswer(again, 200);
      expect(await bench().history(bucket, 'key')).to.have.length(2);
    });

    it('overwrite the version null while versioning is suspended', async () => {
      const bucket = await bench().bucket('suspended-parts', 'Suspended');
      for (const body of ['one', 'other']) {
        const { uploadId, parts } = await bench().smallUpload(`${bucket}/key`, body);
        const done = await bench().complete(`${bucket}/key`, uploadId, parts);
        expect(done.headers['x-amz-version-id']).to.equal('null');
      }
      await bench().expectHistory(bucket, 'key', 'Version null latest');
      expect(await bench().read(`${bucket}/key`)).to.equal('other');
    });
  });
});
