import * as sdk from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { renderCompleteMultipartUploadResult } from '../../../src/s3/xml/complete-multipart-upload-result.js';
import { parseCompleteMultipartUpload } from '../../../src/s3/xml/complete-multipart-upload.js';
import { renderCopyObjectResult } from '../../../src/s3/xml/copy-object-result.js';
import { renderCopyPartResult } from '../../../src/s3/xml/copy-part-result.js';
import { renderDeleteResult } from '../../../src/s3/xml/delete-result.js';
import { parseDelete } from '../../../src/s3/xml/delete.js';
import { renderInitiateMultipartUploadResult } from '../../../src/s3/xml/initiate-multipart-upload-result.js';
import { renderListMultipartUploadsResult } from '../../../src/s3/xml/list-multipart-uploads-result.js';
import { renderListPartsResult } from '../../../src/s3/xml/list-parts-result.js';
import { parseTagging, renderTagging } from '../../../src/s3/xml/tagging.js';
import { SdkExchange } from './sdk-exchange.js';
import { OWNER, SDK_OWNER } from './support.js';

/**
 * The AWS SDK as oracle of documents: what it sends is read as what it was given, and what we
 * answer is read by it as what we meant.
 */

const TARGET = { Bucket: 'bucket', Key: 'key' };
const UPLOAD = { ...TARGET, UploadId: 'upload' };
const ODD_KEY = ' a<&>"\'ä😀\t+%20 ';
const MODIFIED = new Date(Date.UTC(2024, 1, 29, 23, 59, 58));

describe('s3 xml, with the AWS SDK as oracle', () => {
  const exchange = new SdkExchange();
  const { client } = exchange;

  after(() => {
    client.destroy();
  });

  it('CompleteMultipartUpload', async () => {
    exchange.answer = renderCompleteMultipartUploadResult({
      location: 'http://h/b/k',
      bucket: 'b',
      key: ODD_KEY,
      etag: 'abc-2',
      checksum: { algorithm: 'CRC32', value: 'AAAAAA==-2', type: 'COMPOSITE' },
    });
    const Parts = [
      { PartNumber: 1, ETag: '"a"', ChecksumCRC32: 'AAAAAA==' },
      { PartNumber: 9, ETag: '"b"' },
    ];
    const MultipartUpload = { Parts };
    const result = await client.send(
      new sdk.CompleteMultipartUploadCommand({ ...UPLOAD, MultipartUpload }),
    );
    expect(parseCompleteMultipartUpload(exchange.body).parts).to.deep.equal([
      { partNumber: 1, etag: 'a', checksum: { algorithm: 'CRC32', value: 'AAAAAA==' } },
      { partNumber: 9, etag: 'b' },
    ]);
    expect(result).to.deep.include({
      Location: 'http://h/b/k',
      Bucket: 'b',
      Key: ODD_KEY,
      ETag: '"abc-2"',
      ChecksumCRC32: 'AAAAAA==-2',
      ChecksumType: 'COMPOSITE',
    });
  });

  it('CreateMultipartUpload', async () => {
    exchange.answer = renderInitiateMultipartUploadResult({
      bucket: 'b',
      key: ODD_KEY,
      uploadId: 'id',
    });
    const result = await client.send(new sdk.CreateMultipartUploadCommand(TARGET));
    expect(result).to.deep.include({ Bucket: 'b', Key: ODD_KEY, UploadId: 'id' });
  });

  it('ListParts', async () => {
    const part = { lastModified: MODIFIED.getTime(), etag: 'a', size: 5 };
    exchange.answer = renderListPartsResult({
      bucket: 'b',
      key: ODD_KEY,
      query: { uploadId: 'id', maxParts: 2, partNumberMarker: 1, urlEncoded: false },
      initiator: OWNER,
      owner: OWNER,
      storageClass: 'STANDARD',
      parts: [
        { ...part, partNumber: 2, checksum: { algorithm: 'SHA1', value: 'AAAA' } },
        { ...part, partNumber: 3 },
      ],
      truncated: true,
    });
    const result = await client.send(new sdk.ListPartsCommand(UPLOAD));
    const expected = { LastModified: MODIFIED, ETag: '"a"', Size: 5 };
    expect(result).to.deep.include({
      Bucket: 'b',
      Key: ODD_KEY,
      UploadId: 'id',
      MaxParts: 2,
      PartNumberMarker: '1',
      NextPartNumberMarker: '3',
      IsTruncated: true,
      StorageClass: 'STANDARD',
      Owner: SDK_OWNER,
      Initiator: SDK_OWNER,
      Parts: [
        { ...expected, PartNumber: 2, ChecksumSHA1: 'AAAA' },
        { ...expected, PartNumber: 3 },
      ],
    });
  });

  it('ListMultipartUploads', async () => {
    exchange.answer = renderListMultipartUploadsResult({
      bucket: 'b',
      query: {
        prefix: 'p',
        delimiter: '/',
        keyMarker: 'm',
        uploadIdMarker: 'um',
        maxUploads: 2,
        urlEncoded: false,
      },
      uploads: [
        {
          key: ODD_KEY,
          uploadId: 'id',
          initiator: OWNER,
          owner: OWNER,
          storageClass: 'STANDARD',
          initiated: MODIFIED.getTime(),
        },
      ],
      commonPrefixes: ['p/'],
      truncated: true,
      nextKeyMarker: 'n',
      nextUploadIdMarker: 'nid',
    });
    const result = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket: 'bucket' }));
    expect(result).to.deep.include({
      Bucket: 'b',
      Prefix: 'p',
      Delimiter: '/',
      KeyMarker: 'm',
      UploadIdMarker: 'um',
      NextKeyMarker: 'n',
      NextUploadIdMarker: 'nid',
      MaxUploads: 2,
      IsTruncated: true,
      CommonPrefixes: [{ Prefix: 'p/' }],
      Uploads: [
        {
          Key: ODD_KEY,
          UploadId: 'id',
          Initiator: SDK_OWNER,
          Owner: SDK_OWNER,
          StorageClass: 'STANDARD',
          Initiated: MODIFIED,
        },
      ],
    });
  });

  it('CopyObject and UploadPartCopy', async () => {
    const checksum = { algorithm: 'CRC64NVME', value: 'AAA=' } as const;
    const result = { lastModified: MODIFIED.getTime(), etag: 'a', checksum };
    const expected = { LastModified: MODIFIED, ETag: '"a"', ChecksumCRC64NVME: 'AAA=' };
    const CopySource = 'b/k';

    exchange.answer = renderCopyObjectResult(result);
    const copied = await client.send(new sdk.CopyObjectCommand({ ...TARGET, CopySource }));
    expect(copied.CopyObjectResult).to.deep.equal(expected);

    exchange.answer = renderCopyPartResult(result);
    const part = await client.send(
      new sdk.UploadPartCopyCommand({ ...UPLOAD, PartNumber: 1, CopySource }),
    );
    expect(part.CopyPartResult).to.deep.equal(expected);
  });

  it('DeleteObjects', async () => {
    exchange.answer = renderDeleteResult(
      [
        { outcome: 'deleted', key: ODD_KEY },
        { outcome: 'failed', key: 'b', versionId: 'null', code: 'NoSuchKey', message: 'm & m' },
      ],
      false,
    );
    const Objects = [{ Key: ODD_KEY }, { Key: 'b', VersionId: 'null' }];
    const result = await client.send(
      new sdk.DeleteObjectsCommand({ Bucket: 'bucket', Delete: { Objects, Quiet: true } }),
    );
    expect(parseDelete(exchange.body)).to.deep.equal({
      objects: [{ key: ODD_KEY }, { key: 'b', versionId: 'null' }],
      quiet: true,
    });
    expect(result.Deleted).to.deep.equal([{ Key: ODD_KEY }]);
    expect(result.Errors).to.deep.equal([
      { Key: 'b', VersionId: 'null', Code: 'NoSuchKey', Message: 'm & m' },
    ]);
  });

  it('PutObjectTagging and GetObjectTagging', async () => {
    const tags = [
      { key: 'a b', value: '' },
      { key: 'ä', value: 'x/y' },
    ];
    const TagSet = tags.map(({ key, value }) => ({ Key: key, Value: value }));

    exchange.answer = '';
    await client.send(new sdk.PutObjectTaggingCommand({ ...TARGET, Tagging: { TagSet } }));
    expect(parseTagging(exchange.body, 'object')).to.deep.equal(tags);

    exchange.answer = renderTagging(tags);
    const result = await client.send(new sdk.GetObjectTaggingCommand(TARGET));
    expect(result.TagSet).to.deep.equal(TagSet);
  });
});
