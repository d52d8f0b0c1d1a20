import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { describeWith, program } from '../support/needs.js';
import { useBench } from './harness.js';
import { filesIn } from './material.js';
import { useRclone } from './programs.js';

/** rclone names an old version by its time: `file-v2026-11-20-151501-000.txt`. */
const OLD = /^(?:.*\/)?\w+-v\d{4}-\d\d-\d\d-\d{6}-000\.txt$/;

describeWith([program('rclone')], 'client: rclone, versions', function () {
  const bench = useBench(this);
  const rclone = useRclone(bench);
  let between: Date;

  /** Times of S3 have whole seconds: what is before and after has to differ in them. */
  async function nextSecond(): Promise<Date> {
    const second = () => Math.floor(Date.now() / 1000);
    const now = second();
    await eventually(
      () => Promise.resolve(second()),
      (then) => then > now,
    );
    return new Date(second() * 1000);
  }

  async function write(name: string, content: string): Promise<void> {
    const folder = join(bench().folder, 'source', 'dir');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), content);
  }

  async function list(...args: string[]): Promise<string[]> {
    const { stdout } = await rclone('lsf', '--recursive', '--files-only', ...args, 'rw:versions');
    return stdout.split('\n').filter((line) => line !== '');
  }

  it('turns versioning on', async () => {
    await rclone('mkdir', 'rw:versions');
    const state = async () => (await rclone('backend', 'versioning', 'rw:versions')).stdout.trim();
    expect(await state()).to.equal('Unversioned');
    await rclone('backend', 'versioning', 'rw:versions', 'Enabled');
    expect(await state()).to.equal('Enabled');
  });

  it('lists old versions beside the current ones', async () => {
    await write('changed.txt', 'first');
    await write('deleted.txt', 'deleted');
    await write('kept.txt', 'kept');
    await rclone('copy', 'source', 'rw:versions');
    await nextSecond();
    between = await nextSecond();
    await nextSecond();
    await write('changed.txt', 'a second one');
    await rclone('copy', 'source', 'rw:versions');
    await rclone('deletefile', 'rw:versions/dir/deleted.txt');

    const current = ['dir/changed.txt', 'dir/kept.txt'];
    expect(await list()).to.have.members(current);
    const all = await list('--s3-versions');
    expect(all).to.include.members(current).and.have.length(4);
    const old = all.filter((name) => OLD.test(name)).map((name) => name.replace(/-v.*/, ''));
    expect(old).to.have.members(['dir/changed', 'dir/deleted']);
  });

  it('restores old versions', async () => {
    // A version by its own name is what rclone has from 1.61 on.
    const include = ['--include', 'changed-v*', '--include', 'deleted-v*'];
    await rclone('copy', '--s3-versions', ...include, 'rw:versions/dir', 'old');
    const folder = join(bench().folder, 'old');
    const files = await filesIn(folder);
    const contents = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
    expect(contents).to.have.members(['first', 'deleted']);
  });

  it('shows and restores the bucket as it was', async () => {
    const at = ['--s3-version-at', between.toISOString()];
    const then = ['dir/changed.txt', 'dir/deleted.txt', 'dir/kept.txt'];
    expect(await list(...at)).to.have.members(then);
    await rclone('copy', ...at, 'rw:versions', 'then');
    const read = (name: string) => readFile(join(bench().folder, 'then/dir', name), 'utf8');
    expect(await read('changed.txt')).to.equal('first');
    expect(await read('deleted.txt')).to.equal('deleted');
  });

  it('cleans up what is hidden, and nothing else', async () => {
    await rclone('backend', 'cleanup-hidden', 'rw:versions');
    const current = ['dir/changed.txt', 'dir/kept.txt'];
    expect(await list('--s3-versions')).to.have.members(current);
    expect(await list('--s3-version-at', between.toISOString())).to.have.members(['dir/kept.txt']);
    const { stdout } = await rclone('cat', 'rw:versions/dir/changed.txt');
    expect(stdout).to.equal('a second one');
  });

  it('suspends versioning, and purges a bucket with versions', async () => {
    await rclone('backend', 'versioning', 'rw:versions', 'Suspended');
    await write('kept.txt', 'over');
    await rclone('copy', 'source', 'rw:versions');
    await rclone('purge', 'rw:versions');
    expect((await rclone('lsd', 'rw:')).stdout).to.equal('');
  });
});
