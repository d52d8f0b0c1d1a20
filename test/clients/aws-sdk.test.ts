import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  type S3,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import { forEachLimited, useBench, useSdk } from './harness.js';
import { BIG_FILE_BYTES, filesIn, makeTree, treeHashes, writeBigFile } from './material.js';
import { bodyOf, ODD_KEYS } from './odd-keys.js';

/** All defaults but endpoint and path style: so with trailing checksums, and checks on reading. */
describe('client: @aws-sdk/client-s3', function () {
  const bench = useBench(this);
  const sdk = useSdk(bench);
  let s3: S3;

  before(async () => {
    s3 = sdk();
    await s3.createBucket({ Bucket: 'sdk' });
  });

  async function getText(bucket: string, key: string): Promise<string> {
    const got = await s3.getObject({ Bucket: bucket, Key: key });
    return (await got.Body?.transformToString()) ?? '';
  }

  /** The code and status of the error that `command` ends with. */
  async function failure(
    sent: Promise<unknown>,
  ): Promise<readonly [code: string, status: number | undefined]> {
    try {
      await sent;
    } catch (error) {
      if (error instanceof S3ServiceException) return [error.name, error.$metadata.httpStatusCode];
      throw error;
    }
    throw new Error('expected an error of the service');
  }

  it('streams a tree of files up and down, byte-identical', async () => {
    const source = join(bench().folder, 'source');
    const copy = join(bench().folder, 'copy');
    const count = await makeTree(source, 'some');
    await forEachLimited(await filesIn(source), 8, async (path) => {
      const body = createReadStream(join(source, path));
      await new Upload({
        client: s3,
        params: { Bucket: 'sdk', Key: `t/${path}`, Body: body },
      }).done();
    });

    const keys: string[] = [];
    const pages = paginateListObjectsV2({ client: s3, pageSize: 100 }, { Bucket: 'sdk' });
    for await (const page of pages) {
      expect(page.KeyCount).to.be.at.most(100);
      for (const { Key: key } of page.Contents ?? []) keys.push(key ?? '');
    }
    expect(keys).to.have.length(count);

    await forEachLimited(keys, 8, async (key) => {
      const got = await s3.getObject({ Bucket: 'sdk', Key: key });
      const path = join(copy, key.slice('t/'.length));
      await mkdir(dirname(path), { recursive: true });
      await pipeline(got.Body as Readable, createWriteStream(path));
    });
    expect(await treeHashes(copy)).to.deep.equal(await treeHashes(source));
  });

  it('stores the checksum that it sends as a trailer, and checks it on reading', async () => {
    const key = { Bucket: 'sdk', Key: 'checksum' };
    const put = await s3.putObject({ ...key, Body: '123456789' });
    // The check value of CRC-32.
    expect(put.ChecksumCRC32).to.equal('y/Q5Jg==');
    const head = await s3.headObject({ ...key, ChecksumMode: 'ENABLED' });
    expect(head.ChecksumCRC32).to.equal('y/Q5Jg==');
    expect(await getText('sdk', 'checksum')).to.equal('123456789');

    const wrong = new PutObjectCommand({
      ...key,
      Key: 'wrong',
      Body: 'x',
      ChecksumCRC32: 'AAAAAA==',
    });
    expect(await failure(s3.send(wrong))).to.deep.equal(['BadDigest', 400]);
    const gone = new HeadObjectCommand({ ...key, Key: 'wrong' });
    expect(await failure(s3.send(gone))).to.deep.equal(['NotFound', 404]);
  });

  it('gets ranges, metadata and conditional answers', async () => {
    const key = { Bucket: 'sdk', Key: 'ranges' };
    const { ETag: etag = '' } = await s3.putObject({
      ...key,
      Body: '0123456789',
      ContentType: 'text/plain',
      CacheControl: 'max-age=60',
      Metadata: { colour: 'blue' },
    });
    const range = await s3.getObject({ ...key, Range: 'bytes=-3' });
    expect(range.ContentRange).to.equal('bytes 7-9/10');
    expect(await range.Body?.transformToString()).to.equal('789');

    const head = await s3.headObject(key);
    expect(head).to.deep.include({
      ContentLength: 10,
      ContentType: 'text/plain',
      CacheControl: 'max-age=60',
      ETag: etag,
      Metadata: { colour: 'blue' },
    });

    const unchanged = failure(s3.getObject({ ...key, IfNoneMatch: etag }));
    expect((await unchanged)[1]).to.equal(304);
    const changed = failure(s3.getObject({ ...key, IfMatch: '"other"' }));
    expect(await changed).to.deep.equal(['PreconditionFailed', 412]);
    const exists = failure(s3.putObject({ ...key, Body: 'x', IfNoneMatch: '*' }));
    expect(await exists).to.deep.equal(['PreconditionFailed', 412]);
    const beyond = failure(s3.getObject({ ...key, Range: 'bytes=10-' }));
    expect(await beyond).to.deep.equal(['InvalidRange', 416]);
  });

  it('keeps odd keys apart, and lists them all', async () => {
    await s3.createBucket({ Bucket: 'odd-keys' });
    await forEachLimited(ODD_KEYS, 4, async (key) => {
      await s3.putObject({ Bucket: 'odd-keys', Key: key, Body: bodyOf(key) });
    });
    for (const key of ODD_KEYS) expect(await getText('odd-keys', key)).to.equal(bodyOf(key));

    const listed: string[] = [];
    const pages = paginateListObjectsV2({ client: s3, pageSize: 3 }, { Bucket: 'odd-keys' });
    for await (const page of pages) listed.push(...(page.Contents ?? []).map((o) => o.Key ?? ''));
    const sorted = [...ODD_KEYS].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(listed).to.deep.equal(sorted);

    for (const key of ODD_KEYS) {
      await s3.deleteObject({ Bucket: 'odd-keys', Key: key });
    }
    await s3.deleteBucket({ Bucket: 'odd-keys' });
    const { Buckets: buckets } = await s3.listBuckets();
    expect(buckets?.map((bucket) => bucket.Name)).to.deep.equal(['sdk']);
  });

  it('puts and gets one big stream, byte-identical', async () => {
    const file = join(bench().folder, 'big');
    const sha256 = await writeBigFile(file, BIG_FILE_BYTES);
    const key = { Bucket: 'sdk', Key: 'big' };
    const put = { ...key, Body: createReadStream(file), ContentLength: BIG_FILE_BYTES };
    await s3.putObject(put);

    const got = await s3.getObject(key);
    expect(got.ContentLength).to.equal(BIG_FILE_BYTES);
    const hash = createHash('sha256');
    await pipeline(got.Body as Readable, hash);
    expect(hash.digest('hex')).to.equal(sha256);
  });

  it('presigns GET and PUT for plain HTTP clients', async () => {
    const key = { Bucket: 'sdk', Key: 'presigned +&=.txt' };
    const putUrl = await getSignedUrl(s3, new PutObjectCommand(key), { expiresIn: 60 });
    const put = await fetch(putUrl, { method: 'PUT', body: 'by fetch' });
    expect(put.status).to.equal(200);

    const getUrl = await getSignedUrl(s3, new GetObjectCommand(key), { expiresIn: 60 });
    expect(await (await fetch(getUrl)).text()).to.equal('by fetch');
  });

  it('is told what is wrong, in terms of its own errors', async () => {
    const get = (bucket: string, key: string) =>
      failure(s3.getObject({ Bucket: bucket, Key: key }));
    expect(await get('sdk', 'absent')).to.deep.equal(['NoSuchKey', 404]);
    expect(await get('absent', 'x')).to.deep.equal(['NoSuchBucket', 404]);

    const create = new CreateBucketCommand({ Bucket: 'sdk' });
    expect((await failure(s3.send(create)))[1]).to.equal(409);
    const remove = new DeleteBucketCommand({ Bucket: 'sdk' });
    expect(await failure(s3.send(remove))).to.deep.equal(['BucketNotEmpty', 409]);
  });
});
