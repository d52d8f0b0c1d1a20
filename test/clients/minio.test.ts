import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import {
  type Client,
  CopyConditions,
  CopyDestinationOptions,
  CopySourceOptions,
  S3Error,
} from 'minio';
import { codeOf, failureOf } from '../support/failure.js';
import { useOnce } from '../support/fixture.js';
import { S3TestClient } from '../support/s3-client.js';
import { forEachLimited, minioClient, useBench } from './harness.js';
import {
  BIG_FILE_BYTES,
  filesIn,
  makeTree,
  sha256OfFile,
  treeHashes,
  writeBigFile,
} from './material.js';
import { bodyOf, ODD_KEYS } from './odd-keys.js';

async function listAll(minio: Client, bucket: string, prefix = ''): Promise<string[]> {
  const names: string[] = [];
  for await (const item of minio.listObjectsV2(bucket, prefix, true)) {
    names.push((item as { name: string }).name);
  }
  return names;
}

describe('client: minio', function () {
  const bench = useBench(this);
  let minio: Client;

  before(async () => {
    minio = minioClient(bench().service);
    await minio.makeBucket('tree');
  });

  it('puts, lists and gets a tree of files, byte-identical', async () => {
    const source = join(bench().folder, 'source');
    const copy = join(bench().folder, 'copy');
    const count = await makeTree(source, 'some');
    await forEachLimited(await filesIn(source), 8, async (path) => {
      await minio.fPutObject('tree', `prefix/${path}`, join(source, path));
    });

    const names = await listAll(minio, 'tree', 'prefix/');
    expect(names).to.have.length(count);
    await forEachLimited(names, 8, async (name) => {
      const path = join(copy, name.slice('prefix/'.length));
      await mkdir(dirname(path), { recursive: true });
      await minio.fGetObject('tree', name, path);
    });
    expect(await treeHashes(copy)).to.deep.equal(await treeHashes(source));
  });

  it('puts and gets one big file, byte-identical', async () => {
    const { folder } = bench();
    const sha256 = await writeBigFile(join(folder, 'big'), BIG_FILE_BYTES);
    await minio.fPutObject('tree', 'big', join(folder, 'big'));
    await minio.fGetObject('tree', 'big', join(folder, 'big-copy'));
    expect(await sha256OfFile(join(folder, 'big-copy'))).to.equal(sha256);
  });

  it('keeps odd keys apart, and removes them', async () => {
    await minio.makeBucket('odd-keys');
    for (const key of ODD_KEYS) await minio.putObject('odd-keys', key, bodyOf(key));
    for (const key of ODD_KEYS) {
      expect(await text(await minio.getObject('odd-keys', key))).to.equal(bodyOf(key));
    }
    expect([...(await listAll(minio, 'odd-keys'))].sort()).to.deep.equal([...ODD_KEYS].sort());
    for (const key of ODD_KEYS) await minio.removeObject('odd-keys', key);
    await minio.removeBucket('odd-keys');
    expect(await minio.bucketExists('odd-keys')).to.equal(false);
  });

  it('stats objects, reads ranges and presigns', async () => {
    const { etag } = await minio.putObject('tree', 'small', '0123456789', 10, { Colour: 'blue' });
    const stat = await minio.statObject('tree', 'small');
    expect(stat).to.deep.include({ size: 10, etag });
    expect(stat.metaData).to.include({ colour: 'blue' });
    expect(await text(await minio.getPartialObject('tree', 'small', 2, 3))).to.equal('234');

    const url = await minio.presignedGetObject('tree', 'small', 60);
    expect(await (await fetch(url)).text()).to.equal('0123456789');
  });

  it('is told what is wrong, in terms of its own errors', async () => {
    const error = await failureOf(minio.statObject('tree', 'absent'), S3Error);
    expect(error).to.include({ code: 'NotFound' });
  });
});

describe('client: minio, copies, multi-delete and tags', function () {
  const bench = useBench(this);
  let minio: Client;

  before(async () => {
    minio = minioClient(bench().service);
    await minio.makeBucket('copies');
    await minio.makeBucket('targets');
  });

  it('copies objects of odd keys, and removes thousands at once', async () => {
    for (const key of ODD_KEYS) {
      await minio.putObject('copies', key, bodyOf(key));
      await minio.copyObject('targets', key, `/copies/${key}`);
      const copied = await minio.getObject('targets', key);
      expect(await text(copied)).to.equal(bodyOf(key));
    }
    const missing = Array.from({ length: 1500 }, (_, i) => `missing-${i}`);
    const present = await listAll(minio, 'copies');
    expect(present).to.have.length(ODD_KEYS.length);
    await minio.removeObjects('copies', [...missing, ...present]);
    expect(await listAll(minio, 'copies')).to.deep.equal([]);
  });

  it('copies under conditions', async () => {
    const { etag } = await minio.putObject('copies', 'source', 'x');
    const copy = (conditions: CopyConditions) =>
      codeOf(minio.copyObject('copies', 'target', '/copies/source', conditions));
    const matching = new CopyConditions();
    matching.setMatchETag(etag);
    expect(await copy(matching)).to.equal('none');
    const different = new CopyConditions();
    different.setMatchETagExcept(etag);
    expect(await copy(different)).to.equal('PreconditionFailed');
  });

  it('sets, gets and removes tags of objects and buckets', async () => {
    const tags = { colour: 'brown fox', empty: '' };
    const expected = [
      { Key: 'colour', Value: 'brown fox' },
      { Key: 'empty', Value: '' },
    ];
    await minio.putObject('copies', 'tagged', 'x');
    await minio.setObjectTagging('copies', 'tagged', tags);
    expect(await minio.getObjectTagging('copies', 'tagged')).to.deep.equal(expected);
    await minio.removeObjectTagging('copies', 'tagged', { versionId: 'null' });
    expect(await minio.getObjectTagging('copies', 'tagged')).to.be.empty;

    await minio.setBucketTagging('copies', tags);
    expect(await minio.getBucketTagging('copies')).to.deep.equal(expected);
    await minio.removeBucketTagging('copies');
    expect(await codeOf(minio.getBucketTagging('copies'))).to.equal('NoSuchTagSet');
  });
});

const MIB = 1024 * 1024;

describe('client: minio, multipart', function () {
  const bench = useBench(this);
  let minio: Client;
  let sha256: string;

  before(async () => {
    minio = minioClient(bench().service, { partSize: 5 * MIB });
    await minio.makeBucket('parts');
    sha256 = await writeBigFile(join(bench().folder, 'file'), 23 * MIB);
  });

  async function incomplete(): Promise<string[]> {
    const keys: string[] = [];
    for await (const item of minio.listIncompleteUploads('parts', '', true)) {
      keys.push((item as { key: string }).key);
    }
    return keys;
  }

  async function sha256Of(key: string): Promise<string> {
    const path = join(bench().folder, `copy-${key}`);
    await minio.fGetObject('parts', key, path);
    return sha256OfFile(path);
  }

  it('puts a file in parts, byte-identical', async () => {
    const { etag } = await minio.fPutObject('parts', 'file', join(bench().folder, 'file'));
    expect(etag).to.match(/^[0-9a-f]{32}-5$/);
    expect(await sha256Of('file')).to.equal(sha256);
  });

  it('puts a stream of unknown length', async () => {
    await minio.putObject('parts', 'stream', createReadStream(join(bench().folder, 'file')));
    expect(await sha256Of('stream')).to.equal(sha256);
  });

  it('composes objects of objects on the service', async () => {
    const target = new CopyDestinationOptions({ Bucket: 'parts', Object: 'composed' });
    const sources = ['file', 'stream'].map(
      (key) => new CopySourceOptions({ Bucket: 'parts', Object: key }),
    );
    await minio.composeObject(target, sources);
    expect((await minio.statObject('parts', 'composed')).size).to.equal(46 * MIB);
  });

  it('finds what was left open, and removes it', async () => {
    expect(await incomplete()).to.deep.equal([]);
    const s3 = new S3TestClient(bench().service);
    await s3.send({ method: 'POST', path: '/parts/folder/left%20open?uploads' });
    await s3.close();
    expect(await incomplete()).to.deep.equal(['folder/left open']);
    await minio.removeIncompleteUpload('parts', 'folder/left open');
    expect(await incomplete()).to.deep.equal([]);
  });
});

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
  const minio = useOnce(() => minioClient(bench().service));

  async function versionsOf(bucket: string): Promise<Item[]> {
    const items: Item[] = [];
    const listed = minio().listObjects(bucket, '', true, { IncludeVersion: true });
    for await (const item of listed) items.push(item as Item);
    return items;
  }

  it('keeps, lists, reads and removes versions', async () => {
    await minio().makeBucket('versions');
    await minio().setBucketVersioning('versions', { Status: 'Enabled' });
    expect(await minio().getBucketVersioning('versions')).to.deep.equal({ Status: 'Enabled' });
    const first = await minio().putObject('versions', 'key', 'first');
    const second = await minio().putObject('versions', 'key', 'second');
    const versionId = first.versionId ?? '';
    expect(versionId).to.match(/^[0-9a-f]{32}$/);
    const read = async (options = {}) => text(await minio().getObject('versions', 'key', options));
    expect([await read(), await read({ versionId })]).to.deep.equal(['second', 'first']);
    const stat = await minio().statObject('versions', 'key', { versionId });
    expect(stat).to.include({ size: 5, versionId });

    await minio().removeObject('versions', 'key');
    const listed = await versionsOf('versions');
    expect(listed).to.have.length(3);
    const marker = listed.find(({ isDeleteMarker }) => isDeleteMarker === true)?.versionId ?? '';
    expect(await codeOf(read())).to.equal('NoSuchKey');
    await minio().removeObject('versions', 'key', { versionId: marker });
    expect(await read()).to.equal('second');
    await minio().removeObjects('versions', [
      { name: 'key', versionId },
      { name: 'key', versionId: second.versionId ?? '' },
    ]);
    expect(await versionsOf('versions')).to.deep.equal([]);
    await minio().removeBucket('versions');
  });

  it('locks versions', async () => {
    await minio().makeBucket('locked', '', { ObjectLocking: true });
    const locks = minio() as unknown as Locks;
    const rule = { mode: 'GOVERNANCE', unit: 'Days', validity: 2 };
    await locks.setObjectLockConfig('locked', rule);
    expect(await locks.getObjectLockConfig('locked')).to.include(rule);
    const { versionId } = await minio().putObject('locked', 'key', 'kept');
    const version = { versionId: versionId ?? '' };
    const retention = await locks.getObjectRetention('locked', 'key', version);
    expect(retention).to.include({ mode: 'GOVERNANCE' });
    expect(await codeOf(minio().removeObject('locked', 'key', version))).to.equal('AccessDenied');

    const until = { mode: 'GOVERNANCE', retainUntilDate: '2099-01-01T00:00:00Z' };
    await locks.putObjectRetention('locked', 'key', { ...version, ...until });
    const hold = async (status: string) => {
      await locks.setObjectLegalHold('locked', 'key', { ...version, status });
      const held = await locks.getObjectLegalHold('locked', 'key', version);
      expect(held).to.deep.equal({ Status: status });
    };
    await hold('ON');
    const bypass = { ...version, governanceBypass: true };
    expect(await codeOf(minio().removeObject('locked', 'key', bypass))).to.equal('AccessDenied');
    await hold('OFF');
    await minio().removeObject('locked', 'key', bypass);
    expect(await versionsOf('locked')).to.deep.equal([]);
  });
});
