import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { useBench } from './harness.js';
import { BIG_FILE_BYTES, makeTree, treeHashes, writeBigFile } from './material.js';
import { useRclone } from './programs.js';

describeWith([program('rclone')], 'client: rclone', function () {
  const bench = useBench(this);
  const rclone = useRclone(bench);

  it('syncs more files than a page lists, and finds every byte again', async () => {
    const count = await makeTree(join(bench().folder, 'source'), 'sync');
    expect(count).to.be.greaterThan(1000);

    await rclone('sync', 'source', 'rw:tree/prefix');
    const check = await rclone('check', '--download', 'source', 'rw:tree/prefix');
    expect(check.stderr).to.contain(': 0 differences found').and.contain(`${count} matching files`);
  });

  it('finds nothing to do when it syncs again', async () => {
    const again = await rclone('sync', '--stats-one-line', '-v', 'source', 'rw:tree/prefix');
    expect(again.stderr).to.contain('There was nothing to transfer');
  });

  it('notices a difference: the check can fail', async () => {
    await writeFile(join(bench().folder, 'source', 'empty-file'), 'no longer empty');
    const check = await rclone.attempt('check', '--download', 'source', 'rw:tree/prefix');
    expect(check.code).not.to.equal(0);
    expect(check.stderr).to.contain('empty-file');
  });

  it('syncs changes and deletions', async () => {
    const { folder } = bench();
    await rm(join(folder, 'source', 'lodash'), { recursive: true });
    await rclone('sync', 'source', 'rw:tree/prefix');
    await rclone('check', '--download', 'source', 'rw:tree/prefix');
    const folders = await rclone('lsf', '--dirs-only', 'rw:tree/prefix');
    expect(folders.stdout.split('\n')).to.include('pino/').and.not.include('lodash/');
  });

  it('syncs down, byte-identical', async () => {
    const { folder } = bench();
    await rclone('sync', 'rw:tree/prefix', 'copy');
    const source = await treeHashes(join(folder, 'source'));
    expect(await treeHashes(join(folder, 'copy'))).to.deep.equal(source);
  });

  it('copies one big file up and down, byte-identical', async () => {
    const { folder } = bench();
    const sha256 = await writeBigFile(join(folder, 'big-source', 'big'), BIG_FILE_BYTES);
    await rclone('copy', 'big-source', 'rw:big');
    await rclone('copy', 'rw:big', 'big-copy');
    expect(await treeHashes(join(folder, 'big-copy'))).to.deep.equal({ big: sha256 });
  });

  it('streams from stdin, reads ranges, and purges', async () => {
    await rclone.fed('0123456789', 'rcat', 'rw:big/from-stdin');
    const part = await rclone('cat', '--offset', '2', '--count', '3', 'rw:big/from-stdin');
    expect(part.stdout).to.equal('234');

    await rclone('purge', 'rw:big');
    const buckets = await rclone('lsd', 'rw:');
    expect(buckets.stdout)
      .to.match(/ tree\n/)
      .and.not.to.match(/ big\n/);
  });
});

describeWith([program('rclone')], 'client: rclone, copies and deletes', function () {
  const bench = useBench(this);
  const rclone = useRclone(bench);

  it('copies a tree inside the service, and finds every byte again', async () => {
    const count = await makeTree(join(bench().folder, 'source'), 'some');
    await rclone('copy', 'source', 'rw:tree/original');
    const copied = await rclone('copy', '-v', 'rw:tree/original', 'rw:other/copy');
    expect(copied.stderr).to.contain('Copied (server-side copy)');
    const check = await rclone('check', '--download', 'source', 'rw:other/copy');
    expect(check.stderr).to.contain(': 0 differences found').and.contain(`${count} matching files`);
  });

  it('copies and moves single files, and touches one', async () => {
    await writeFile(join(bench().folder, 'note.txt'), 'a note');
    await rclone('copyto', 'note.txt', 'rw:tree/with space+plus.txt');
    await rclone('copyto', 'rw:tree/with space+plus.txt', 'rw:tree/日本 %2F.txt');
    await rclone('moveto', 'rw:tree/日本 %2F.txt', 'rw:other/moved.txt');
    // Changes the time in the metadata: a copy onto itself.
    await rclone('touch', '--timestamp', '2020-01-02T03:04:05', 'rw:other/moved.txt');
    expect((await rclone('cat', 'rw:other/moved.txt')).stdout).to.equal('a note');
    const listed = await rclone('lsl', 'rw:other/moved.txt');
    expect(listed.stdout).to.contain('2020-01-02 03:04:05');
    expect((await rclone('lsf', '--files-only', 'rw:tree')).stdout).to.equal(
      'with space+plus.txt\n',
    );
  });

  it('deletes a tree, and purges', async () => {
    await rclone('delete', 'rw:other/copy');
    expect((await rclone('lsf', '-R', '--files-only', 'rw:other')).stdout).to.equal('moved.txt\n');
    await rclone('purge', 'rw:other');
    expect((await rclone('lsd', 'rw:')).stdout).to.not.contain('other');
  });
});
