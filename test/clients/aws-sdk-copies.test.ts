import { CopyObjectCommand, type S3, S3ServiceException } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { failureOf } from '../support/failure.js';
import { forEachLimited, useBench, useSdk } from './harness.js';
import { bodyOf, ODD_KEYS } from './odd-keys.js';

const Bucket = 'sdk-copies';
const TARGET = 'sdk-targets';
const TagSet = [
  { Key: 'colour', Value: 'brown fox' },
  { Key: 'größe+/=@', Value: '' },
];

describe('client: @aws-sdk/client-s3, copies, multi-delete and tags', function () {
  const sdk = useSdk(useBench(this));
  let s3: S3;

  before(async () => {
    s3 = sdk();
    await s3.createBucket({ Bucket });
    await s3.createBucket({ Bucket: TARGET });
  });

  const codeOf = async (request: Promise<unknown>): Promise<string> =>
    (await failureOf(request, S3ServiceException)).name;

  it('copies objects of odd keys, and deletes them all at once', async () => {
    await forEachLimited(ODD_KEYS, 4, async (key) => {
      await s3.putObject({ Bucket, Key: key, Body: bodyOf(key) });
      const CopySource = `${Bucket}/${encodeURIComponent(key)}`;
      const target = { Bucket: TARGET, Key: key };
      const copied = await s3.copyObject({ ...target, CopySource });
      expect(copied.CopyObjectResult?.LastModified).to.be.instanceOf(Date);
      const got = await s3.getObject(target);
      expect(await got.Body?.transformToString()).to.equal(bodyOf(key));
      expect(copied.CopyObjectResult?.ETag).to.equal(got.ETag);
    });

    const keys = [...ODD_KEYS, 'missing'];
    const Objects = keys.map((Key) => ({ Key }));
    const deleted = await s3.deleteObjects({ Bucket, Delete: { Objects } });
    expect(deleted.Deleted?.map(({ Key }) => Key)).to.deep.equal(keys.slice(0, -1));
    expect(deleted.Errors?.map(({ Key, Code }) => [Key, Code])).to.deep.equal([
      ['missing', 'NoSuchKey'],
    ]);
    const Quiet = true;
    const again = await s3.deleteObjects({ Bucket, Delete: { Objects, Quiet } });
    expect(again.Deleted).to.equal(undefined);
    expect(again.Errors).to.have.length(keys.length);
    const copies = await s3.listObjectsV2({ Bucket: TARGET });
    expect(copies.KeyCount).to.equal(ODD_KEYS.length);
  });

  it('replaces or keeps metadata and tags, under conditions', async () => {
    const key = { Bucket, Key: 'original' };
    const { ETag } = await s3.putObject({
      ...key,
      Body: 'x',
      Metadata: { a: '1' },
      Tagging: 'tag=old',
    });
    const copy = { Bucket, Key: 'changed', CopySource: `${Bucket}/original` };
    await s3.copyObject({
      ...copy,
      MetadataDirective: 'REPLACE',
      Metadata: { b: '2' },
      TaggingDirective: 'REPLACE',
      Tagging: 'tag=new',
      CopySourceIfMatch: ETag,
    });
    const head = await s3.headObject({ Bucket, Key: 'changed' });
    expect(head.Metadata).to.deep.equal({ b: '2' });
    const tags = await s3.getObjectTagging({ Bucket, Key: 'changed' });
    expect(tags.TagSet).to.deep.equal([{ Key: 'tag', Value: 'new' }]);

    const failed = new CopyObjectCommand({ ...copy, CopySourceIfNoneMatch: ETag });
    expect(await codeOf(s3.send(failed))).to.equal('PreconditionFailed');
    const same = new CopyObjectCommand({ ...copy, Key: 'original' });
    expect(await codeOf(s3.send(same))).to.equal('InvalidRequest');
    const absent = new CopyObjectCommand({ ...copy, CopySource: `${Bucket}/absent` });
    expect(await codeOf(s3.send(absent))).to.equal('NoSuchKey');
  });

  it('puts, gets and deletes tags of objects and buckets', async () => {
    const key = { Bucket, Key: 'tagged' };
    await s3.putObject({ ...key, Body: 'x' });
    await s3.putObjectTagging({ ...key, Tagging: { TagSet } });
    const found = await s3.getObjectTagging(key);
    expect(found.TagSet).to.deep.equal(TagSet);
    const got = await s3.getObject(key);
    expect(got.TagCount).to.equal(2);
    await s3.deleteObjectTagging(key);
    expect((await s3.getObjectTagging(key)).TagSet).to.deep.equal([]);

    const none = () => codeOf(s3.getBucketTagging({ Bucket }));
    expect(await none()).to.equal('NoSuchTagSet');
    await s3.putBucketTagging({ Bucket, Tagging: { TagSet } });
    const ofBucket = await s3.getBucketTagging({ Bucket });
    expect(ofBucket.TagSet).to.deep.equal(TagSet);
    await s3.deleteBucketTagging({ Bucket });
    expect(await none()).to.equal('NoSuchTagSet');
  });
});
