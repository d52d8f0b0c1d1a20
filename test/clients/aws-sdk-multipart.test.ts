import { createReadStream } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  paginateListParts,
  type S3,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { failureOf } from '../support/failure.js';
import { sdkOf, useBench, useSdk } from './harness.js';
import { writeBigFile } from './material.js';

const MIB = 1024 * 1024;
const Bucket = 'sdk-parts';
const FILE_BYTES = 32 * MIB + 5;

/** All defaults but endpoint and path style: so with checksums of parts and of the object. */
describe('client: @aws-sdk/client-s3 and lib-storage, multipart', function () {
  const bench = useBench(this);
  const sdk = useSdk(bench);
  let s3: S3;
  let file: string;
  let sha256: string;

  before(async () => {
    s3 = sdk();
    await s3.createBucket({ Bucket });
    file = join(bench().folder, 'file');
    sha256 = await writeBigFile(file, FILE_BYTES);
  });

  async function sha256Of(Key: string): Promise<string> {
    const got = await s3.getObject({ Bucket, Key });
    const hash = createHash('sha256');
    for await (const chunk of got.Body as AsyncIterable<Buffer>) hash.update(chunk);
    return hash.digest('hex');
  }

  async function openUploads(): Promise<string[]> {
    const { Uploads = [] } = await s3.listMultipartUploads({ Bucket });
    return Uploads.map(({ Key = '' }) => Key);
  }

  it('uploads a stream in parts with nothing but defaults', async () => {
    const params = { Bucket, Key: 'default', Body: createReadStream(file), ContentType: 'a/b' };
    const done = await new Upload({ client: s3, params }).done();
    expect(done.ETag).to.match(/^"[0-9a-f]{32}-7"$/);
    expect(done.ChecksumType).to.equal('COMPOSITE');
    expect(done.ChecksumCRC32).to.match(/^[A-Za-z0-9+/]{6}==-7$/);
    expect(await sha256Of('default')).to.equal(sha256);
    const head = await s3.headObject({ Bucket, Key: 'default', ChecksumMode: 'ENABLED' });
    expect(head).to.include({
      ETag: done.ETag,
      ContentLength: FILE_BYTES,
      ContentType: 'a/b',
      ChecksumCRC32: done.ChecksumCRC32,
      ChecksumType: 'COMPOSITE',
    });
    expect(await openUploads()).to.deep.equal([]);
  });

  for (const [algorithm, type, count] of [
    ['CRC32', 'COMPOSITE', '-7'],
    ['CRC32', 'FULL_OBJECT', ''],
    ['CRC32C', 'COMPOSITE', '-7'],
    ['CRC32C', 'FULL_OBJECT', ''],
    ['CRC64NVME', 'FULL_OBJECT', ''],
    ['SHA1', 'COMPOSITE', '-7'],
    ['SHA256', 'COMPOSITE', '-7'],
  ] as const) {
    it(`uploads with ${algorithm}, ${type}`, async () => {
      const Key = `${algorithm}-${type}`;
      const Body = createReadStream(file);
      const params = { Bucket, Key, Body, ChecksumAlgorithm: algorithm, ChecksumType: type };
      const done = await new Upload({ client: s3, params }).done();
      const checksum = done[`Checksum${algorithm}`] ?? '';
      expect(checksum.endsWith(count) && checksum.includes('-') === (count !== '')).to.equal(true);
      expect(done.ChecksumType).to.equal(type);
      // The SDK checks whole objects' checksums by itself, and fails when they do not fit.
      expect(await sha256Of(Key)).to.equal(sha256);
    });
  }

  it('aborts, and leaves nothing', async () => {
    const params = { Bucket, Key: 'aborted', Body: createReadStream(file) };
    const upload = new Upload({ client: s3, params, queueSize: 1 });
    let aborting: Promise<void> | undefined;
    upload.on('httpUploadProgress', () => {
      aborting ??= upload.abort();
    });
    const { name } = await failureOf(upload.done());
    await aborting;
    expect(name).to.equal('AbortError');
    // Who listens for the abort aborts the upload on the service too, in its own time.
    await eventually(openUploads, (open) => open.length === 0);
  });

  it('copies parts into an upload with the checksum that the SDK asks for', async () => {
    const Key = 'copied';
    const { UploadId } = await s3.createMultipartUpload({ Bucket, Key });
    const upload = { Bucket, Key, UploadId, CopySource: `${Bucket}/default` };
    const Parts = [];
    const middle = 16 * MIB;
    for (const [index, range] of [`0-${middle - 1}`, `${middle}-${FILE_BYTES - 1}`].entries()) {
      const PartNumber = index + 1;
      const CopySourceRange = `bytes=${range}`;
      const copied = await s3.uploadPartCopy({ ...upload, PartNumber, CopySourceRange });
      const { ETag, ChecksumCRC32 } = copied.CopyPartResult ?? {};
      Parts.push({ PartNumber, ETag, ChecksumCRC32 });
    }
    const listed: (number | undefined)[] = [];
    const pages = paginateListParts({ client: s3, pageSize: 1 }, { Bucket, Key, UploadId });
    for await (const page of pages) {
      listed.push(...(page.Parts ?? []).map(({ PartNumber }) => PartNumber));
    }
    expect(listed).to.deep.equal([1, 2]);
    await s3.completeMultipartUpload({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
    expect(await sha256Of(Key)).to.equal(sha256);
  });

  it('takes parts by presigned URLs', async () => {
    const Key = 'presigned';
    // A browser that has only the URL sends no checksum: the upload must not ask for one.
    const plain = sdkOf(bench().service, { requestChecksumCalculation: 'WHEN_REQUIRED' });
    const { UploadId } = await plain.createMultipartUpload({ Bucket, Key });
    const part = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1 });
    const url = await getSignedUrl(plain, part, { expiresIn: 60 });
    const put = await fetch(url, { method: 'PUT', body: 'by a browser' });
    expect([put.status, await put.text()]).to.deep.equal([200, '']);
    const Parts = [{ PartNumber: 1, ETag: put.headers.get('etag') ?? '' }];
    await s3.completeMultipartUpload({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
    plain.destroy();
    const got = await s3.getObject({ Bucket, Key });
    expect(await got.Body?.transformToString()).to.equal('by a browser');
  });

  it('is told what is wrong, in terms of its own errors', async () => {
    const Key = 'wrong';
    const { UploadId } = await s3.createMultipartUpload({ Bucket, Key });
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: '"missing"' }] };
    const complete = { Bucket, Key, UploadId, MultipartUpload };
    const refused = await failureOf(s3.completeMultipartUpload(complete), S3ServiceException);
    expect(refused.name).to.equal('InvalidPart');
    const upload = { Bucket, Key, UploadId };
    await s3.abortMultipartUpload(upload);
    const again = await failureOf(s3.abortMultipartUpload(upload), S3ServiceException);
    expect(again.name).to.equal('NoSuchUpload');
  });
});
