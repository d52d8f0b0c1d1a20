import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'undici';
import { describeWith, pythonModule } from '../support/needs.js';
import { useBench } from './harness.js';
import { BIG_FILE_BYTES, makeTree, sha256OfFile, treeHashes, writeBigFile } from './material.js';
import { ODD_KEYS } from './odd-keys.js';
import { runBoto3 } from './programs.js';

interface Report {
  readonly files: number;
  readonly odd_keys: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
  readonly range: string;
  readonly urls: Readonly<Record<'put' | 'get', string>>;
}

const BASE_DOMAIN = 's3.localhost';

/** How botocore signs, and where it puts the bucket: each once, and the harder two together. */
const WAYS = [
  { signature_version: 's3v4', addressing_style: 'path' },
  { signature_version: 's3', addressing_style: 'virtual' },
] as const;

describeWith([pythonModule('boto3')], 'client: boto3', function () {
  for (const way of WAYS) {
    describe(`signature ${way.signature_version}, ${way.addressing_style} style`, function () {
      const bench = useBench(this, { config: { base_domains: [BASE_DOMAIN] } });

      it('round-trips a tree, odd keys, ranges, presigned URLs, errors and one big file', async () => {
        const { folder, service } = bench();
        const inFolder = (name: string): string => join(folder, name);
        const count = await makeTree(inFolder('source'), 'some');
        const sha256 = await writeBigFile(inFolder('big'), BIG_FILE_BYTES);
        const job = {
          endpoint: service.endpoint.replace('127.0.0.1', BASE_DOMAIN),
          source: inFolder('source'),
          copy: inFolder('copy'),
          big: inFolder('big'),
          big_copy: inFolder('big-copy'),
          odd_keys: ODD_KEYS,
          ...way,
        };
        const report = await runBoto3<Report>(bench(), 'round_trip.py', job);

        expect(report.files).to.equal(count);
        const source = await treeHashes(inFolder('source'));
        expect(await treeHashes(inFolder('copy'))).to.deep.equal(source);
        expect(await sha256OfFile(inFolder('big-copy'))).to.equal(sha256);
        const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(report.odd_keys).to.deep.equal([...ODD_KEYS].sort(bytewise));
        expect(report.range).to.equal('234');
        expect(report.errors).to.deep.equal({
          'absent key': 'NoSuchKey',
          'absent bucket': 'NoSuchBucket',
          'full bucket': 'BucketNotEmpty',
        });
        await usePresigned(service.endpoint, report.urls);
      });
    });
  }
});

/** Uploads and downloads with what was presigned, as a browser that knows nothing else would. */
async function usePresigned(endpoint: string, urls: Report['urls']): Promise<void> {
  const client = new Client(endpoint);
  const send = (method: 'GET' | 'PUT', url: string, headers = {}, body: string | null = null) => {
    const [, host = '', path = ''] = /^http:\/\/([^/]+)(\/.*)$/.exec(url) ?? [];
    return client.request({ method, path, headers: { host, ...headers }, body });
  };
  // With version 4, botocore signs metadata as headers; with version 2 it puts them into the query.
  const metadata = { 'content-type': 'text/css', 'x-amz-meta-colour': 'red' };
  const put = await send('PUT', urls.put, metadata, 'presigned');
  expect(put.statusCode, await put.body.text()).to.equal(200);
  const get = await send('GET', urls.get);
  expect(await get.body.text()).to.equal('presigned');
  expect(get.headers).to.include({
    'content-type': 'text/x-a b',
    'content-disposition': 'a; b="c&d"',
    'x-amz-meta-colour': 'red',
  });
  const broken = await send('GET', urls.get.replace('a%2Bb', 'a%2Bc'));
  expect(broken.statusCode).to.equal(403);
  await broken.body.dump();
  await client.close();
}

const TAGS = [
  { Key: 'colour', Value: 'brown fox' },
  { Key: 'größe+/=@', Value: '' },
];

describeWith([pythonModule('boto3')], 'client: boto3, copies and tags', function () {
  const bench = useBench(this);

  it('copies odd keys, deletes many at once, and keeps tags', async () => {
    const report = await runBoto3(bench(), 'copies.py', { odd_keys: ODD_KEYS });
    expect(report).to.deep.equal({
      copied: Object.fromEntries(ODD_KEYS.map((key) => [key, key])),
      deleted: { deleted: 1, errors: ['NoSuchKey'], left: 0 },
      metadata: { b: '2' },
      object_tags: [TAGS, []],
      bucket_tags: [TAGS, 'NoSuchTagSet'],
    });
  });
});

const MIB = 1024 * 1024;

describeWith([pythonModule('boto3')], 'client: boto3, multipart', function () {
  const bench = useBench(this);

  it('uploads, copies and downloads in parts, lists, aborts, and is told what is wrong', async () => {
    const { folder } = bench();
    const sha256 = await writeBigFile(join(folder, 'file'), 35 * MIB);
    const job = { file: join(folder, 'file'), copy: join(folder, 'copy') };
    const done = await runBoto3<Record<string, unknown>>(bench(), 'multipart.py', job);
    const { etag, etag_of_copy, ...report } = done;
    expect(await sha256OfFile(join(folder, 'copy'))).to.equal(sha256);
    expect(etag).to.match(/^"[0-9a-f]{32}-5"$/);
    expect(etag_of_copy).to.equal(etag);
    expect(report).to.deep.equal({
      parts: 5,
      part_bytes: 8 * MIB,
      open: ['a', 'a', 'a!', 'a/b', 'b'],
      errors: {
        'small parts': 'EntityTooSmall',
        'wrong order': 'InvalidPartOrder',
        'missing part': 'InvalidPart',
        aborted: 'NoSuchUpload',
      },
    });
  });
});
