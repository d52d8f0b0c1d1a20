import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import { useBench } from './harness.js';
import { makeTree, treeHashes } from './material.js';
import { useRestic } from './programs.js';

const RULE =
  '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>' +
  '<Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>';

/** Whoever backs up may write, and own nothing. */
const MEMBER = {
  accessKey: 'RESTICSKEY',
  secretKey: 'the-secret-of-whoever-backs-up',
  account: 'AUTH_main',
  role: 'member',
  user: 'main:restic',
} as const;
const GRANTS = {
  'x-amz-grant-read': `id="${MEMBER.user}"`,
  'x-amz-grant-write': `id="${MEMBER.user}"`,
};
const BYPASS = { 'x-amz-bypass-governance-retention': 'true' };

describeWith([program('restic')], 'client: restic, with a locked repository', function () {
  const bench = useBench(this, { users: [MEMBER] });
  const restic = useRestic(() => {
    const { folder, service } = bench();
    return { folder, service: { ...service, ...MEMBER } };
  });
  const s3 = useOnce(() => new S3TestClient(bench().service), 'close');
  const member = useOnce(() => {
    return new S3TestClient({ endpoint: bench().service.endpoint, ...MEMBER });
  }, 'close');
  let hashes: Record<string, string>;

  before(async () => {
    await s3().put('/backups', '', { 'x-amz-bucket-object-lock-enabled': 'true' });
    expect((await s3().put('/backups?object-lock', RULE)).status).to.equal(200);
    expect((await s3().put('/backups?acl', '', GRANTS)).status).to.equal(200);
    await makeTree(join(bench().folder, 'source'), 'some');
  });

  async function snapshots(): Promise<{ readonly id: string }[]> {
    return JSON.parse((await restic('snapshots', '--json')).stdout) as { id: string }[];
  }

  it('makes a repository, backs up, checks and restores', async () => {
    await restic('init');
    hashes = await treeHashes(join(bench().folder, 'source'));
    await restic('backup', 'source');
    expect((await restic('check', '--read-data')).stdout).to.contain('no errors were found');
    await restic('restore', 'latest', '--target', 'restored');
    expect(await treeHashes(join(bench().folder, 'restored', 'source'))).to.deep.equal(hashes);
  });

  it('forgets and prunes, which leaves every version behind its delete marker', async () => {
    await rm(join(bench().folder, 'source', 'pino'), { recursive: true });
    await writeFile(join(bench().folder, 'source', 'new'), 'new');
    await restic('backup', 'source');
    await restic('forget', '--keep-last', '1', '--prune', '--max-unused', '0');
    expect(await snapshots()).to.have.length(1);
    expect((await restic('check', '--read-data')).stdout).to.contain('no errors were found');

    const { text } = await s3().get('/backups?versions');
    const markers = [...text.matchAll(/<DeleteMarker>.*?<VersionId>(\w+)<.*?<\/DeleteMarker>/g)];
    expect(markers).to.have.length.greaterThan(1);
    const versions = [...text.matchAll(/<Version><Key>([^<]*)<\/Key><VersionId>(\w+)</g)];
    for (const [, key = '', id = ''] of versions) {
      const path = `/backups/${encodeURI(key)}?versionId=${id}`;
      for (const refused of [await s3().delete(path), await member().delete(path, BYPASS)]) {
        expect([refused.status, refused.code], key).to.deep.equal([403, 'AccessDenied']);
      }
    }
  });

  it('has everything back once the delete markers are removed', async () => {
    const { text } = await s3().get('/backups?versions');
    const markers = text.matchAll(/<DeleteMarker><Key>([^<]*)<\/Key><VersionId>(\w+)</g);
    for (const [, key = '', id = ''] of markers) {
      // Locks of its own runs are of no use to anybody.
      if (key.includes('/locks/')) continue;
      const { status } = await s3().delete(`/backups/${encodeURI(key)}?versionId=${id}`);
      expect(status).to.equal(204);
    }
    const [first] = await snapshots();
    expect(await snapshots()).to.have.length(2);
    await restic('restore', first?.id ?? '', '--target', 'back');
    expect(await treeHashes(join(bench().folder, 'back', 'source'))).to.deep.equal(hashes);
  });
});
