import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { S3Answer } from '../support/s3-client.js';
import { MIB, partList, patternBytes, useUploadBench } from './multipart-bench.js';
import { expectAnswer } from './versions/bench.js';

describe('UploadPartCopy over the wire', () => {
  const bench = useUploadBench();
  const source = patternBytes(6 * MIB + 5, 7);
  before(async () => {
    await bench.s3.put('/parts/source', source);
  });

  function copy(
    path: string,
    uploadId: string,
    number: number,
    headers: Record<string, string> = {},
  ): Promise<S3Answer> {
    return bench.s3.put(`${path}?partNumber=${number}&uploadId=${uploadId}`, '', {
      'x-amz-copy-source': '/parts/source',
      ...headers,
    });
  }

  it('makes parts of whole objects and of ranges', async () => {
    const uploadId = await bench.create('/parts/copy');
    const first = await copy('/parts/copy', uploadId, 1);
    expectAnswer(first, 200);
    const md5 = createHash('md5').update(source).digest('hex');
    expect(first.text)
      .to.match(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<CopyPartResult /)
      .and.to.contain(`<ETag>&quot;${md5}&quot;</ETag>`)
      .and.to.match(/<LastModified>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z</);
    const second = await copy('/parts/copy', uploadId, 2, {
      'x-amz-copy-source-range': `bytes=3-${3 + MIB}`,
    });
    const etags = [first, second].map(etagIn);
    const done = await bench.complete('/parts/copy', uploadId, partList(etags));
    expect(done.status).to.equal(200);
    const expected = Buffer.concat([source, source.subarray(3, 4 + MIB)]);
    expect((await bench.s3.get('/parts/copy')).body.equals(expected)).to.equal(true);
  });

  it('copies objects that were made of parts, also into others of their kind', async () => {
    const uploadId = await bench.create('/parts/nested');
    const part = await copy('/parts/nested', uploadId, 1, { 'x-amz-copy-source': 'parts/copy' });
    const done = await bench.complete('/parts/nested', uploadId, partList([etagIn(part)]));
    expect(done.status).to.equal(200);
    const [copied, original] = [
      await bench.s3.get('/parts/nested'),
      await bench.s3.get('/parts/copy'),
    ];
    expect(copied.body.equals(original.body)).to.equal(true);
  });

  for (const [algorithm, ofSource] of [
    ['CRC64NVME', undefined],
    ['SHA256', 'x-amz-checksum-sha256'],
  ] as const) {
    it(`gives the parts the ${algorithm} that the upload asks for`, async () => {
      const sha256 = createHash('sha256').update(source).digest('base64');
      const headers = ofSource === undefined ? {} : { [ofSource]: sha256 };
      await bench.s3.put('/parts/checked', source, { ...headers });
      const created = { 'x-amz-checksum-algorithm': algorithm };
      const uploadId = await bench.create('/parts/sums', created);
      const from = { 'x-amz-copy-source': '/parts/checked' };
      const whole = await copy('/parts/sums', uploadId, 1, from);
      const range = { ...from, 'x-amz-copy-source-range': 'bytes=0-9' };
      const part = await copy('/parts/sums', uploadId, 2, range);
      expect(whole.text).to.match(new RegExp(`<Checksum${algorithm}>[^<]+</`));
      if (algorithm === 'SHA256') {
        const ofRange = createHash('sha256').update(source.subarray(0, 10)).digest('base64');
        expect(whole.text).to.contain(sha256);
        expect(part.text).to.contain(ofRange);
      }
      const parts = partList([whole, part].map(etagIn));
      expectAnswer(await bench.complete('/parts/sums', uploadId, parts), 200);
    });
  }

  for (const [what, headers, status, code] of [
    ['a missing key', { 'x-amz-copy-source': '/parts/missing' }, 404, 'NoSuchKey'],
    ['a missing bucket', { 'x-amz-copy-source': '/missing/key' }, 404, 'NoSuchBucket'],
    ['a source without a key', { 'x-amz-copy-source': '/parts' }, 400, 'InvalidArgument'],
    ['false encoding', { 'x-amz-copy-source': '/parts/%zz' }, 400, 'InvalidArgument'],
    ['an open range', { 'x-amz-copy-source-range': 'bytes=1-' }, 400, 'InvalidArgument'],
    [
      'a range that ends behind it',
      { 'x-amz-copy-source-range': 'bytes=0-9999999' },
      400,
      'InvalidArgument',
    ],
    [
      'a range behind it',
      { 'x-amz-copy-source-range': 'bytes=9999998-9999999' },
      400,
      'InvalidRequest',
    ],
    ['another ETag', { 'x-amz-copy-source-if-match': '"x"' }, 412, 'PreconditionFailed'],
    [
      'the ETag that it must not have',
      { 'x-amz-copy-source-if-none-match': '*' },
      412,
      'PreconditionFailed',
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const uploadId = await bench.create('/parts/refused');
      expectAnswer(await copy('/parts/refused', uploadId, 1, { ...headers }), status, code);
      const listed = await bench.s3.get(`/parts/refused?uploadId=${uploadId}`);
      expect(listed.text).not.to.contain('<Part>');
    });
  }

  it('needs an upload that is open', async () => {
    const uploadId = await bench.create('/parts/aborted');
    await bench.s3.delete(`/parts/aborted?uploadId=${uploadId}`);
    expectAnswer(await copy('/parts/aborted', uploadId, 1), 404, 'NoSuchUpload');
  });
});

/** Quoted. */
function etagIn(answer: S3Answer): string {
  const etag = /<ETag>&quot;([^&]+)&quot;<\/ETag>/.exec(answer.text)?.[1];
  if (etag === undefined) throw new Error(`no part: ${answer.status} ${answer.text}`);
  return `"${etag}"`;
}
