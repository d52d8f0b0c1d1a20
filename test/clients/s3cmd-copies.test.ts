import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { useBench } from './harness.js';
import { makeTree, treeHashes } from './material.js';
import { useS3cmd } from './programs.js';

describeWith([program('s3cmd')], 'client: s3cmd, copies and multi-delete', function () {
  const bench = useBench(this);
  const s3cmd = useS3cmd(bench);

  before(async () => {
    await s3cmd('mb', 's3://first');
    await s3cmd('mb', 's3://second');
  });

  it('copies and moves a tree between buckets, byte-identical', async () => {
    const { folder } = bench();
    await makeTree(join(folder, 'source'), 'some');
    await s3cmd('put', '--recursive', 'source/', 's3://first/tree/');
    await s3cmd('cp', '--recursive', 's3://first/tree/', 's3://second/copied/');
    await s3cmd('mv', '--recursive', 's3://second/copied/', 's3://second/moved/');
    expect((await s3cmd('ls', '--recursive', 's3://second/copied/')).stdout).to.equal('');
    await mkdir(join(folder, 'copy'));
    await s3cmd('get', '--recursive', 's3://second/moved/', 'copy/');
    const expected = await treeHashes(join(folder, 'source'));
    expect(await treeHashes(join(folder, 'copy'))).to.deep.equal(expected);
  });

  it('changes headers in place: a copy onto itself', async () => {
    await writeFile(join(bench().folder, 'note.txt'), 'a note');
    await s3cmd('put', 'note.txt', 's3://first/note.txt');
    await s3cmd('modify', '--add-header', 'x-amz-meta-colour: blue', 's3://first/note.txt');
    const info = await s3cmd('info', 's3://first/note.txt');
    expect(info.stdout).to.match(/x-amz-meta-colour:\s+blue/);
    await s3cmd('get', 's3://first/note.txt', 'note-copy.txt');
    const { stdout } = await mustRun('cat', [join(bench().folder, 'note-copy.txt')]);
    expect(stdout).to.equal('a note');
  });

  it('deletes a tree with few requests', async () => {
    await s3cmd('del', '--recursive', '--force', 's3://second');
    expect((await s3cmd('ls', '--recursive', 's3://second')).stdout).to.equal('');
    await s3cmd('rb', 's3://second');
  });
});
