import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import { useBench } from './harness.js';
import { useS3cmd } from './programs.js';

const ENABLED = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';

/** It has no commands for versions, and must not need to know of them. */
describeWith([program('s3cmd')], 'client: s3cmd, in a bucket with versions', function () {
  const bench = useBench(this);
  const s3cmd = useS3cmd(bench);

  it('puts, gets, lists, moves and deletes as in any other', async () => {
    const { folder, service } = bench();
    await s3cmd('mb', 's3://versions');
    const s3 = new S3TestClient(service);
    expect((await s3.put('/versions?versioning', ENABLED)).status).to.equal(200);
    for (const content of ['first', 'second']) {
      await writeFile(join(folder, 'file'), content);
      await s3cmd('put', 'file', 's3://versions/file');
    }
    await s3cmd('get', 's3://versions/file', 'got');
    expect(await readFile(join(folder, 'got'), 'utf8')).to.equal('second');
    await s3cmd('mv', 's3://versions/file', 's3://versions/moved');
    expect((await s3cmd('ls', 's3://versions')).stdout).to.match(
      /^\S+ \S+ +6 +s3:\/\/versions\/moved\n$/,
    );
    await s3cmd('del', '--recursive', '--force', 's3://versions');
    expect((await s3cmd('ls', 's3://versions')).stdout).to.equal('');
    const refused = await s3cmd.attempt('rb', 's3://versions');
    expect(refused.stderr).to.contain('BucketNotEmpty');
    const { text } = await s3.get('/versions?versions');
    expect(text.match(/<Version>/g)).to.have.length(3);
    expect(text.match(/<DeleteMarker>/g)).to.have.length(2);
    await s3.close();
  });
});
