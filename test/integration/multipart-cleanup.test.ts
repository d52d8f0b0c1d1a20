import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { Companion } from './companion.js';
import { MIB, patternBytes, useUploadBench } from './multipart-bench.js';
import { deleteRequest, expectAnswer, versioning } from './versions/bench.js';

describe('what multipart uploads leave behind', () => {
  const bench = useUploadBench({
    segment_grace_ms: 50,
    // Else a cluster's segments are the janitor's after a small write.
    janitor_interval_ms: 0,
  });
  const companion = useOnce(() => Companion.open(bench.service), 'close');

  afterEach(async () => {
    await untilLeft(0);
    expect(await companion().inUse('parts')).to.deep.equal([]);
  });

  async function untilLeft(count: number, bucket = 'parts'): Promise<void> {
    await eventually(
      () => companion().names(bucket),
      ({ length }) => length === count,
    );
  }

  async function completed(path: string, body: string): Promise<void> {
    const upload = await bench.smallUpload(path, body);
    expectAnswer(await bench.complete(path, upload.uploadId, upload.parts), 200);
  }

  it('nothing of an object that is deleted', async () => {
    await completed('/parts/deleted', 'body');
    expect(await companion().names('parts')).to.have.lengthOf(1);
    await bench.s3.delete('/parts/deleted');
  });

  it('nothing of objects that are deleted together', async () => {
    await completed('/parts/a', 'body');
    await completed('/parts/b', 'body');
    const both = deleteRequest('/parts', ['<Key>a</Key>', '<Key>b</Key>']);
    expectAnswer(await bench.s3.send(both), 200);
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
    await untilLeft(1);
    expect((await bench.s3.get('/parts/twice')).text).to.equal('after');
    await bench.s3.delete('/parts/twice');
  });

  it('nothing of the version null that is replaced while versioning is suspended', async () => {
    expectAnswer(await bench.s3.put('/suspended'), 200);
    expectAnswer(await bench.s3.put('/suspended?versioning', versioning('Suspended')), 200);
    await completed('/suspended/null', 'of parts');
    expect(await companion().names('suspended')).to.have.lengthOf(1);
    expect((await bench.s3.put('/suspended/null', 'after')).status).to.equal(200);
    await untilLeft(0, 'suspended');
    expect((await bench.s3.get('/suspended/null')).text).to.equal('after');
    await completed('/suspended/null', 'of parts, again');
    await bench.s3.delete('/suspended/null');
    await untilLeft(0, 'suspended');
    expect((await bench.s3.delete('/suspended/null?versionId=null')).status).to.equal(204);
    expect((await bench.s3.delete('/suspended')).status).to.equal(204);
  });

  it('nothing of parts that the completion left out', async () => {
    const uploadId = await bench.create('/parts/some');
    await bench.part('/parts/some', uploadId, 1, Buffer.from('left out'));
    const etag = await bench.part('/parts/some', uploadId, 2, Buffer.from('taken'));
    await bench.part('/parts/some', uploadId, 3, Buffer.from('left out'));
    await bench.complete('/parts/some', uploadId, [{ number: 2, etag }]);
    await untilLeft(1);
    expect((await bench.s3.get('/parts/some')).text).to.equal('taken');
    await bench.s3.delete('/parts/some');
  });

  it('nothing of an upload that is aborted, at once', async () => {
    const upload = await bench.smallUpload('/parts/aborted', 'body');
    await bench.part('/parts/aborted', upload.uploadId, 2, patternBytes(MIB, 1));
    const answer = await bench.s3.delete(`/parts/aborted?uploadId=${upload.uploadId}`);
    expect([answer.status, answer.text]).to.deep.equal([204, '']);
    expect(await companion().names('parts')).to.deep.equal([]);
  });

  it('nothing of a bucket that is deleted with open uploads', async () => {
    await bench.s3.put('/doomed');
    const upload = await bench.smallUpload('/doomed/open', 'body');
    await bench.s3.put('/doomed/object', 'body');
    expectAnswer(await bench.s3.delete('/doomed'), 409, 'BucketNotEmpty');
    expect(await companion().names('doomed')).to.have.lengthOf(2);
    await bench.s3.delete('/doomed/object');
    expect((await bench.s3.delete('/doomed')).status).to.equal(204);
    expect(await companion().containers()).to.deep.equal(['parts', 'parts+segments']);
    const late = await bench.tryPart('/doomed/open', upload.uploadId, 2, Buffer.from('late'));
    expect(late.code).to.equal('NoSuchBucket');
  });
});
