import { join } from 'node:path';
import { expect } from 'chai';
import { S3TestClient } from '../support/s3-client.js';
import { describeWith, program } from '../support/needs.js';
import { useBench } from './harness.js';
import { sha256OfFile, writeBigFile } from './material.js';
import { useS3cmd } from './programs.js';

describeWith([program('s3cmd')], 'client: s3cmd, multipart', function () {
  const bench = useBench(this);
  const s3cmd = useS3cmd(bench);

  before(async () => {
    await s3cmd('mb', 's3://parts');
  });

  it('puts and gets a file in its default parts, byte-identical', async () => {
    const { folder } = bench();
    const sha256 = await writeBigFile(join(folder, 'file'), 40 * 1024 * 1024);
    await s3cmd('put', 'file', 's3://parts/file');
    const info = await s3cmd('info', 's3://parts/file');
    expect(info.stdout).to.contain('File size: 41943040');
    await s3cmd('get', 's3://parts/file', 'copy');
    expect(await sha256OfFile(join(folder, 'copy'))).to.equal(sha256);
  });

  it('lists open uploads and their parts, and aborts them', async () => {
    const s3 = new S3TestClient(bench().service);
    const created = await s3.send({ method: 'POST', path: '/parts/left%20open?uploads' });
    const uploadId = /<UploadId>(\w+)</.exec(created.text)?.[1] ?? '';
    await s3.put(`/parts/left%20open?partNumber=2&uploadId=${uploadId}`, 'part');
    await s3.close();

    const uploads = await s3cmd('multipart', 's3://parts');
    expect(uploads.stdout).to.contain('s3://parts/left open').and.to.contain(uploadId);
    const parts = await s3cmd('listmp', 's3://parts/left open', uploadId);
    expect(parts.stdout).to.match(/\t2\t/);
    await s3cmd('abortmp', 's3://parts/left open', uploadId);
    const after = await s3cmd('multipart', 's3://parts');
    expect(after.stdout).not.to.contain(uploadId);
  });
});
