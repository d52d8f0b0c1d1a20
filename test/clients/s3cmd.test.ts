import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { useBench } from './harness.js';
import { BIG_FILE_BYTES, makeTree, sha256OfFile, treeHashes, writeBigFile } from './material.js';
import { useS3cmd } from './programs.js';

describeWith([program('s3cmd')], 'client: s3cmd', function () {
  const bench = useBench(this);
  const s3cmd = useS3cmd(bench);

  it('puts and gets a tree of files recursively, byte-identical', async () => {
    const { folder } = bench();
    const count = await makeTree(join(folder, 'source'), 'some');
    expect(count).to.be.greaterThan(300);

    await s3cmd('mb', 's3://tree');
    await s3cmd('put', '--recursive', 'source/', 's3://tree/prefix/');
    await mkdir(join(folder, 'copy'));
    await s3cmd('get', '--recursive', 's3://tree/prefix/', 'copy/');
    const source = await treeHashes(join(folder, 'source'));
    expect(await treeHashes(join(folder, 'copy'))).to.deep.equal(source);
  });

  it('lists folders, all below them, and buckets', async () => {
    const top = await s3cmd('ls', 's3://tree/prefix/');
    expect(top.stdout).to.match(/DIR +s3:\/\/tree\/prefix\/pino\//);
    const odd = await s3cmd('ls', '--recursive', 's3://tree/prefix/odd/');
    expect(odd.stdout).to.contain('s3://tree/prefix/odd/plus+and%percent%2Fliteral.txt');
    expect((await s3cmd('ls')).stdout).to.match(/ s3:\/\/tree\n/);
  });

  it('puts and gets one big file, byte-identical', async () => {
    const { folder } = bench();
    const sha256 = await writeBigFile(join(folder, 'big'), BIG_FILE_BYTES);
    await s3cmd('put', 'big', 's3://tree/big');
    await s3cmd('get', 's3://tree/big', 'big-copy');
    expect(await sha256OfFile(join(folder, 'big-copy'))).to.equal(sha256);
  });

  it('deletes objects one by one', async () => {
    await s3cmd('del', 's3://tree/big');
    await s3cmd('del', 's3://tree/prefix/odd/with space.txt');
    expect((await s3cmd('ls', 's3://tree/')).stdout).not.to.contain('big');
    expect((await s3cmd('ls', 's3://tree/prefix/odd/')).stdout).not.to.contain('with space');
  });

  it('refuses to remove a bucket that is not empty, and removes an empty one', async () => {
    await s3cmd('mb', 's3://empty');
    await s3cmd('rb', 's3://empty');
    const error = await s3cmd('rb', 's3://tree').then(String, String);
    expect(error).to.contain('BucketNotEmpty');
  });
});
