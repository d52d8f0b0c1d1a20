import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { readXml, S3TestClient } from '../support/s3-client.js';
import { useBench } from './harness.js';
import { makeTree, treeHashes, writeBigFile } from './material.js';
import { useRestic } from './programs.js';

const FILE_BYTES = 40 * 1024 * 1024;

/** The last message of `backup --json`, as far as it is asked for here. */
interface Summary {
  readonly message_type: string;
  readonly files_new: number;
  readonly files_changed: number;
  readonly files_unmodified: number;
  readonly data_added: number;
  readonly snapshot_id: string;
}

interface Listing {
  readonly ListBucketResult: { readonly Contents: { Key: string; Size: string }[] };
}

describeWith([program('restic')], 'client: restic', function () {
  const bench = useBench(this);
  const restic = useRestic(bench);
  const snapshots: { readonly id: string; readonly hashes: Record<string, string> }[] = [];
  let files = 0;

  before(async () => {
    const source = join(bench().folder, 'source');
    await writeBigFile(join(source, 'big'), FILE_BYTES);
    files = await makeTree(source, 'some');
  });

  /** Backs the source up, and keeps in mind what it was. */
  async function backup(): Promise<Summary> {
    const { stdout } = await restic('backup', '--json', 'source');
    const lines = stdout.trim().split('\n');
    const summary = JSON.parse(lines.at(-1) ?? '') as Summary;
    expect(summary.message_type).to.equal('summary');
    const hashes = await treeHashes(join(bench().folder, 'source'));
    snapshots.push({ id: summary.snapshot_id, hashes });
    return summary;
  }

  async function expectRestored(snapshot: number): Promise<void> {
    const { id, hashes } = snapshots[snapshot]!;
    const target = `restored-${snapshot}`;
    await restic('restore', id, '--target', target);
    expect(await treeHashes(join(bench().folder, target, 'source'))).to.deep.equal(hashes);
  }

  it('makes a repository, and refuses to make it twice', async () => {
    await restic('init');
    const again = await restic.attempt('init');
    expect(again.code).not.to.equal(0);
    expect(again.stderr).to.contain('already initialized');
  });

  it('backs up a tree of files and a big one, and finds every byte again', async () => {
    expect(files).to.be.greaterThan(100);
    const summary = await backup();
    expect(summary).to.include({ files_new: files, files_changed: 0, files_unmodified: 0 });
    expect(summary.data_added).to.be.greaterThan(FILE_BYTES);
    const check = await restic('check', '--read-data');
    expect(check.stdout).to.contain('no errors were found');
  });

  it('backs up what has changed, and nothing else', async () => {
    const source = join(bench().folder, 'source');
    const big = await open(join(source, 'big'), 'r+');
    await big.write('in the middle', FILE_BYTES / 2);
    await big.close();
    await writeFile(join(source, 'new'), 'a new file');
    await rm(join(source, 'pino'), { recursive: true });
    const summary = await backup();
    expect(summary).to.include({ files_new: 1, files_changed: 1 });
    expect(summary.data_added).to.be.within(1, FILE_BYTES / 2);
    expect(snapshots[1]!.hashes).not.to.deep.equal(snapshots[0]!.hashes);
  });

  it('restores both, byte-identical', async () => {
    await expectRestored(0);
    await expectRestored(1);
  });

  it('forgets the first, removes what only that had, and keeps the second', async () => {
    await restic('forget', '--keep-last', '1', '--prune', '--max-unused', '0');
    const listed = JSON.parse((await restic('snapshots', '--json')).stdout) as unknown[];
    expect(listed).to.have.length(1);
    const check = await restic('check', '--read-data');
    expect(check.stdout).to.contain('no errors were found');
    await rm(join(bench().folder, 'restored-1'), { recursive: true });
    await expectRestored(1);
    expect((await restic('list', 'locks', '--no-lock')).stdout).to.equal('');
  });

  it('notices a pack that is gone: the check can fail', async () => {
    const s3 = new S3TestClient(bench().service);
    const listed = await s3.get('/backups?prefix=of%20a%20folder/data/');
    const { ListBucketResult } = readXml(listed.text) as Listing;
    // The largest is one of file contents: without one of folders, restic tries again for minutes.
    const packs = ListBucketResult.Contents.sort((a, b) => Number(b.Size) - Number(a.Size));
    const pack = packs[0]!.Key;
    expect((await s3.delete(`/backups/${encodeURI(pack)}`)).status).to.equal(204);
    await s3.close();
    const check = await restic.attempt('check');
    expect(check.code).not.to.equal(0);
    expect(check.stderr).to.contain(pack.split('/').at(-1)!.slice(0, 8));
  });
});
