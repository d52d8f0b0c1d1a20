import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type Client, S3Error } from 'minio';
import { forEachLimited, minioClient, useBench } from './harness.js';
import { BIG_FILE_BYTES, filesIn, makeTree, sha256OfFile, treeHashes } from './material.js';
import { writeBigFile } from './material.js';
import { bodyOf, ODD_KEYS } from './odd-keys.js';

describe('client: minio', function () {
  const bench = useBench(this);
  let minio: Client;

  before(async () => {
    minio = minioClient(bench().service);
    await minio.makeBucket('tree');
  });

  async function listAll(bucket: string, prefix: string): Promise<string[]> {
    const names: string[] = [];
    for await (const item of minio.listObjectsV2(bucket, prefix, true)) {
      names.push((item as { name: string }).name);
    }
    return names;
  }

  it('puts, lists and gets a tree of files, byte-identical', async () => {
    const source = join(bench().folder, 'source');
    const copy = join(bench().folder, 'copy');
    const count = await makeTree(source, 'some');
    await forEachLimited(await filesIn(source), 8, async (path) => {
      await minio.fPutObject('tree', `prefix/${path}`, join(source, path));
    });

    const names = await listAll('tree', 'prefix/');
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
    expect([...(await listAll('odd-keys', ''))].sort()).to.deep.equal([...ODD_KEYS].sort());
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
    const error: unknown = await minio.statObject('tree', 'absent').catch((e: unknown) => e);
    expect(error).to.be.instanceOf(S3Error).and.include({ code: 'NotFound' });
  });
});
