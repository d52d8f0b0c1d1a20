import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Client } from 'minio';
import { minioClient, useBench } from './harness.js';

interface Item {
  readonly name: string;
  readonly versionId: string;
  readonly isDeleteMarker?: boolean;
}

type Options = Readonly<Record<string, unknown>>;

/** Its declarations have overloads of these that return nothing. */
interface Locks {
  setObjectLockConfig(bucket: string, rule: Options): Promise<void>;
  getObjectLockConfig(bucket: string): Promise<Options>;
  putObjectRetention(bucket: string, key: string, options: Options): Promise<void>;
  getObjectRetention(bucket: string, key: string, options: Options): Promise<Options>;
  setObjectLegalHold(bucket: string, key: string, options: Options): Promise<void>;
  getObjectLegalHold(bucket: string, key: string, options: Options): Promise<unknown>;
}

describe('client: minio, versions and locks', function () {
  const bench = useBench(this);
  let minio: Client;

  before(() => {
    minio = minioClient(bench().service);
  });

  async function versionsOf(bucket: string): Promise<Item[]> {
    const items: Item[] = [];
    const listed = minio.listObjects(bucket, '', true, { IncludeVersion: true });
    for await (const item of listed) items.push(item as Item);
    return items;
  }

  async function codeOf(request: Promise<unknown>): Promise<string> {
    const error: unknown = await request.then(
      () => ({ code: 'no error' }),
      (thrown: unknown) => thrown,
    );
    return (error as { code: string }).code;
  }

  it('keeps, lists, reads and removes versions', async () => {
    await minio.makeBucket('versions');
    await minio.setBucketVersioning('versions', { Status: 'Enabled' });
    expect(await minio.getBucketVersioning('versions')).to.deep.equal({ Status: 'Enabled' });
    const first = await minio.putObject('versions', 'key', 'first');
    const second = await minio.putObject('versions', 'key', 'second');
    const versionId = first.versionId ?? '';
    expect(versionId).to.match(/^[0-9a-f]{32}$/);
    const read = async (options = {}) => text(await minio.getObject('versions', 'key', options));
    expect([await read(), await read({ versionId })]).to.deep.equal(['second', 'first']);
    expect(await minio.statObject('versions', 'key', { versionId })).to.include({
      size: 5,
      versionId,
    });

    await minio.removeObject('versions', 'key');
    const listed = await versionsOf('versions');
    expect(listed).to.have.length(3);
    const marker = listed.find(({ isDeleteMarker }) => isDeleteMarker === true)?.versionId ?? '';
    expect(await codeOf(read())).to.equal('NoSuchKey');
    await minio.removeObject('versions', 'key', { versionId: marker });
    expect(await read()).to.equal('second');
    await minio.removeObjects('versions', [
      { name: 'key', versionId },
      { name: 'key', versionId: second.versionId ?? '' },
    ]);
    expect(await versionsOf('versions')).to.deep.equal([]);
    await minio.removeBucket('versions');
  });

  it('locks versions', async () => {
    await minio.makeBucket('locked', '', { ObjectLocking: true });
    const locks = minio as unknown as Locks;
    const rule = { mode: 'GOVERNANCE', unit: 'Days', validity: 2 };
    await locks.setObjectLockConfig('locked', rule);
    expect(await locks.getObjectLockConfig('locked')).to.include(rule);
    const { versionId } = await minio.putObject('locked', 'key', 'kept');
    const version = { versionId: versionId ?? '' };
    const retention = await locks.getObjectRetention('locked', 'key', version);
    expect(retention).to.include({ mode: 'GOVERNANCE' });
    expect(await codeOf(minio.removeObject('locked', 'key', version))).to.equal('AccessDenied');

    const until = { mode: 'GOVERNANCE', retainUntilDate: '2099-01-01T00:00:00Z' };
    await locks.putObjectRetention('locked', 'key', { ...version, ...until });
    const hold = async (status: string) => {
      await locks.setObjectLegalHold('locked', 'key', { ...version, status });
      expect(await locks.getObjectLegalHold('locked', 'key', version)).to.deep.equal({
        Status: status,
      });
    };
    await hold('ON');
    const bypass = { ...version, governanceBypass: true };
    expect(await codeOf(minio.removeObject('locked', 'key', bypass))).to.equal('AccessDenied');
    await hold('OFF');
    await minio.removeObject('locked', 'key', bypass);
    expect(await versionsOf('locked')).to.deep.equal([]);
  });
});
