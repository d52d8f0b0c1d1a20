import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { useBench } from './harness.js';
import { makeTree } from './material.js';
import { useRclone } from './programs.js';

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
