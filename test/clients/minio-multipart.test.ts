import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Client, CopyDestinationOptions, CopySourceOptions } from 'minio';
import { S3TestClient } from '../support/s3-client.js';
import { minioClient, useBench } from './harness.js';
import { sha256OfFile, writeBigFile } from './material.js';

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
