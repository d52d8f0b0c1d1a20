import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { MIB, partList, patternBytes, useUploadBench } from './multipart-bench.js';

describe('copies of objects made of parts', () => {
  const bench = useUploadBench();
  const bodies = [patternBytes(5 * MIB, 1), patternBytes(1000, 2)];
  const whole = Buffer.concat(bodies);
  const md5 = createHash('md5').update(whole).digest('hex');

  async function upload(path: string, headers: Record<string, string> = {}): Promise<void> {
    const uploadId = await bench.create(path, headers);
    const etags: string[] = [];
    for (const [index, body] of bodies.entries()) {
      etags.push(await bench.checkedPart(path, uploadId, index + 1, body));
    }
    expect((await bench.complete(path, uploadId, partList(etags))).status).to.equal(200);
  }

  it('copies to an object without parts, with the ETag of its bytes', async () => {
    const { s3 } = bench;
    await upload('/parts/source', {
      'x-amz-checksum-algorithm': 'SHA256',
      'content-type': 'video/x-test',
      'x-amz-tagging': 'a=1',
    });
    const source = await s3.head('/parts/source', { 'x-amz-checksum-mode': 'ENABLED' });
    expect(source.headers.etag).to.match(/-2"$/);
    expect(source.headers['x-amz-checksum-sha256']).to.match(/-2$/);

    const answer = await s3.put('/parts/copy', '', { 'x-amz-copy-source': '/parts/source' });
    expect(answer.text).to.contain(`<ETag>&quot;${md5}&quot;</ETag>`);
    expect(answer.text, 'a composite checksum needs parts').to.not.contain('Checksum');
    await s3.delete('/parts/source');
    const got = await s3.get('/parts/copy', { 'x-amz-checksum-mode': 'ENABLED' });
    expect(got.body.equals(whole)).to.be.true;
    expect(got.headers).to.include({
      etag: `"${md5}"`,
      'content-type': 'video/x-test',
      'x-amz-tagging-count': '1',
    });
    expect(got.headers).to.not.have.property('x-amz-checksum-sha256');
  });

  it('replaces metadata of such an object in place, and keeps its bytes', async () => {
    const { s3 } = bench;
    await upload('/parts/self');
    const answer = await s3.put('/parts/self', '', {
      'x-amz-copy-source': '/parts/self',
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-meta-new': 'yes',
    });
    expect(answer.status).to.equal(200);
    const got = await s3.get('/parts/self');
    expect(got.body.equals(whole)).to.be.true;
    expect(got.headers).to.include({ etag: `"${md5}"`, 'x-amz-meta-new': 'yes' });
  });
});
