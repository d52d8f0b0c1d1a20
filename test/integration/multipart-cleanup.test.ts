import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { Companion } from './companion.js';
import { MIB, patternBytes, UploadBench } from './multipart-bench.js';

describe('what multipart uploads leave behind', () => {
  const bench = new UploadBench({
    segment_grace_ms: 50,
    // Else a cluster's segments are the janitor's after a small write.
    janitor_interval_ms: 0,
  });
  let companion: Companion;

  before(async () => {
    await bench.start();
    companion = await Companion.open(bench.service);
  });
  after(async () => {
    await companion.close();
    await bench.stop();
  });
  afterEach(async () => {
    expect(await leftOver()).to.deep.equal([]);
    expect(await companion.inUse('parts')).to.deep.equal([]);
  });

  function leftOver(): Promise<string[]> {
    return eventually(
      () => companion.names('parts'),
      (names) => names.length === 0,
    );
  }

  async function completed(path: string, body: string): Promise<void> {
    const upload = await bench.smallUpload(path, body);
    const done = await bench.complete(path, upload.uploadId, upload.parts);
    expect(done.status).to.equal(200);
  }

  it('nothing of an object that is deleted', async () => {
    await completed('/parts/deleted', 'body');
    expect(await companion.names('parts')).to.have.lengthOf(1);
    await bench.s3.delete('/parts/deleted');
  });

  it('nothing of objects that are deleted together', async () => {
    await completed('/parts/a', 'body');
    await completed('/parts/b', 'body');
    const body = '<Delete><Object><Key>a</Key></Object><Object><Key>b</Key></Object></Delete>';
    const headers = { 'content-md5': md5Base64(body) };
    const answer = await bench.s3.send({ method: 'POST', path: '/parts?delete', body, headers });
    expect(answer.status).to.equal(200);
  });

  for (const [how, over] of [
    ['a PUT', () => bench.s3.put('/parts/over', 'after')],
    [
      'a copy',
      async () => {
        await bench.s3.put('/parts/source', 'after');
        return bench.s3.put('/parts/over', '', { 'x-amz-copy-source': '/parts/source' });
      },
    ],
    [
      'a copy of itself',
      () =>
        bench.s3.put('/parts/over', '', {
          'x-amz-copy-source': '/parts/over',
          'x-amz-metadata-directive': 'REPLACE',
        }),
    ],
  ] as const) {
    it(`nothing of an object that is overwritten by ${how}`, async () => {
      await completed('/parts/over', 'after');
      expect((await over()).status).to.equal(200);
      expect((await bench.s3.get('/parts/over')).text).to.equal('after');
      await bench.s3.delete('/parts/over');
    });
  }

  it('nothing of an object that is overwritten by another upload', async () => {
    await completed('/parts/twice', 'before');
    await completed('/parts/twice', 'after');
    await eventually(
      () => companion.names('parts'),
      (names) => names.length === 1,
    );
    expect((await bench.s3.get('/parts/twice')).text).to.equal('after');
    await bench.s3.delete('/parts/twice');
  });

  it('nothing of the version null that is replaced while versioning is suspended', async () => {
    const suspended =
      '<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>';
    expect((await bench.s3.put('/suspended')).status).to.equal(200);
    expect((await bench.s3.put('/suspended?versioning', suspended)).status).to.equal(200);
    await completed('/suspended/null', 'of parts');
    expect(await companion.names('suspended')).to.have.lengthOf(1);
    expect((await bench.s3.put('/suspended/null', 'after')).status).to.equal(200);
    await eventually(
      () => companion.names('suspended'),
      (names) => names.length === 0,
    );
    expect((await bench.s3.get('/suspended/null')).text).to.equal('after');
    await completed('/suspended/null', 'of parts, again');
    await bench.s3.delete('/suspended/null');
    await eventually(
      () => companion.names('suspended'),
      (names) => names.length === 0,
    );
    expect((await bench.s3.delete('/suspended/null?versionId=null')).status).to.equal(204);
    expect((await bench.s3.delete('/suspended')).status).to.equal(204);
  });

  it('nothing of parts that the completion left out', async () => {
    const uploadId = await bench.create('/parts/some');
    await bench.part('/parts/some', uploadId, 1, Buffer.from('left out'));
    const etag = await bench.part('/parts/some', uploadId, 2, Buffer.from('taken'));
    await bench.part('/parts/some', uploadId, 3, Buffer.from('left out'));
    await bench.complete('/parts/some', uploadId, [{ number: 2, etag }]);
    await eventually(
      () => companion.names('parts'),
      (names) => names.length === 1,
    );
    expect((await bench.s3.get('/parts/some')).text).to.equal('taken');
    await bench.s3.delete('/parts/some');
  });

  it('nothing of an upload that is aborted, at once', async () => {
    const upload = await bench.smallUpload('/parts/aborted', 'body');
    await bench.part('/parts/aborted', upload.uploadId, 2, patternBytes(MIB, 1));
    const answer = await bench.s3.delete(`/parts/aborted?uploadId=${upload.uploadId}`);
    expect([answer.status, answer.text]).to.deep.equal([204, '']);
    expect(await companion.names('parts')).to.deep.equal([]);
  });

  it('nothing of a bucket that is deleted with open uploads', async () => {
    await bench.s3.put('/doomed');
    const upload = await bench.smallUpload('/doomed/open', 'body');
    await bench.s3.put('/doomed/object', 'body');
    const full = await bench.s3.delete('/doomed');
    expect([full.status, full.code]).to.deep.equal([409, 'BucketNotEmpty']);
    expect(await companion.names('doomed')).to.have.lengthOf(2);
    await bench.s3.delete('/doomed/object');
    expect((await bench.s3.delete('/doomed')).status).to.equal(204);
    expect(await companion.containers()).to.deep.equal(['parts', 'parts+segments']);
    const late = await bench.tryPart('/doomed/open', upload.uploadId, 2, Buffer.from('late'));
    expect(late.code).to.equal('NoSuchBucket');
  });
});

function md5Base64(text: string): string {
  return createHash('md5').update(text).digest('base64');
}
