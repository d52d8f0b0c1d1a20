import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { mustRun, runProgram, type ProgramResult } from '../support/programs.js';
import { useBench } from './harness.js';
import { BIG_FILE_BYTES, makeTree, treeHashes, writeBigFile } from './material.js';

describeWith([program('rclone')], 'client: rclone', function () {
  const bench = useBench(this);
  let env: Record<string, string>;

  before(() => {
    const { folder, service } = bench();
    env = {
      HOME: folder,
      RCLONE_CONFIG: join(folder, 'rclone.conf'),
      RCLONE_CONFIG_RW_TYPE: 's3',
      RCLONE_CONFIG_RW_PROVIDER: 'Other',
      RCLONE_CONFIG_RW_ENDPOINT: service.endpoint,
      RCLONE_CONFIG_RW_REGION: 'us-east-1',
      RCLONE_CONFIG_RW_ACCESS_KEY_ID: service.accessKey,
      RCLONE_CONFIG_RW_SECRET_ACCESS_KEY: service.secretKey,
    };
  });

  function rclone(...args: string[]): Promise<ProgramResult> {
    return mustRun('rclone', ['--retries', '1', ...args], { env, cwd: bench().folder });
  }

  it('syncs thousands of files, and finds every byte again', async () => {
    const count = await makeTree(join(bench().folder, 'source'), 'sync');
    expect(count).to.be.greaterThan(2000);

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
    const args = ['check', '--download', 'source', 'rw:tree/prefix', '--retries', '1'];
    const check = await runProgram('rclone', args, { env, cwd: bench().folder });
    expect(check.code).not.to.equal(0);
    expect(check.stderr).to.contain('empty-file');
  });

  it('syncs changes and deletions', async () => {
    const { folder } = bench();
    await rm(join(folder, 'source', 'lodash'), { recursive: true });
    await rclone('sync', 'source', 'rw:tree/prefix');
    await rclone('check', '--download', 'source', 'rw:tree/prefix');
    const folders = await rclone('lsf', '--dirs-only', 'rw:tree/prefix');
    expect(folders.stdout.split('\n')).to.include('zod/').and.not.include('lodash/');
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
    const args = ['rcat', 'rw:big/from-stdin'];
    await mustRun('rclone', args, { env, cwd: bench().folder, input: '0123456789' });
    const part = await rclone('cat', '--offset', '2', '--count', '3', 'rw:big/from-stdin');
    expect(part.stdout).to.equal('234');

    await rclone('purge', 'rw:big');
    const buckets = await rclone('lsd', 'rw:');
    expect(buckets.stdout)
      .to.match(/ tree\n/)
      .and.not.to.match(/ big\n/);
  });
});
