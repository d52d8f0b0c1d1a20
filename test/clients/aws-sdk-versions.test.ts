import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectLegalHoldCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { expect } from 'chai';
import { failureOf } from '../support/failure.js';
import { useBench, useSdk } from './harness.js';

const Bucket = 'sdk-versions';
const LOCKED = 'sdk-locked';
const object = { Bucket, Key: 'key' };

describe('client: @aws-sdk/client-s3, versions and locks', function () {
  const sdk = useSdk(useBench(this));
  let s3: S3Client;

  before(async () => {
    s3 = sdk();
    await s3.send(new CreateBucketCommand({ Bucket }));
    await s3.send(new CreateBucketCommand({ Bucket: LOCKED, ObjectLockEnabledForBucket: true }));
  });

  async function put(Body: string, more = {}): Promise<string | undefined> {
    return (await s3.send(new PutObjectCommand({ ...object, Body, ...more }))).VersionId;
  }

  async function read(VersionId?: string): Promise<string | undefined> {
    const { Body } = await s3.send(new GetObjectCommand({ ...object, VersionId }));
    return Body?.transformToString();
  }

  function become(Status: 'Enabled' | 'Suspended', of = Bucket): Promise<unknown> {
    const VersioningConfiguration = { Status };
    return s3.send(new PutBucketVersioningCommand({ Bucket: of, VersioningConfiguration }));
  }

  const codeOf = async (request: Promise<unknown>): Promise<string> =>
    (await failureOf(request, S3ServiceException)).name;

  it('goes through the states of a bucket', async () => {
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status).to.equal(undefined);
    expect(await put('plain')).to.equal(undefined);
    await become('Enabled');
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status).to.equal('Enabled');
    const first = await put('first');
    await become('Suspended');
    expect([await put('one'), await put('other')]).to.deep.equal(['null', 'null']);
    expect([await read(), await read('null'), await read(first)]).to.deep.equal([
      ...['other', 'other', 'first'],
    ]);
    await become('Enabled');
    const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    expect(Versions.map(({ VersionId, IsLatest }) => [VersionId, IsLatest])).to.deep.equal([
      ['null', true],
      [first, false],
    ]);
  });

  it('deletes, and tells of markers also in errors', async () => {
    const deleted = await s3.send(new DeleteObjectCommand(object));
    expect(deleted.DeleteMarker).to.equal(true);
    expect(await codeOf(s3.send(new GetObjectCommand(object)))).to.equal('NoSuchKey');
    const { VersionId } = deleted;
    const ofMarker = s3.send(new GetObjectCommand({ ...object, VersionId }));
    expect(await codeOf(ofMarker)).to.equal('MethodNotAllowed');
    const removed = await s3.send(new DeleteObjectCommand({ ...object, VersionId }));
    expect(removed).to.deep.include({ DeleteMarker: true, VersionId });
    expect(await read()).to.equal('other');
    const malformed = s3.send(new GetObjectCommand({ ...object, VersionId: 'what' }));
    expect(await codeOf(malformed)).to.equal('InvalidArgument');
    const unknown = s3.send(new GetObjectCommand({ ...object, VersionId: 'f'.repeat(32) }));
    expect(await codeOf(unknown)).to.equal('NoSuchVersion');
  });

  it('makes versions of copies and of uploads in parts', async () => {
    const source = await put('source');
    const CopySource = `${Bucket}/key?versionId=${source}`;
    const copied = await s3.send(new CopyObjectCommand({ ...object, CopySource }));
    expect(copied.CopySourceVersionId).to.equal(source);
    expect(copied.VersionId).to.match(/^[0-9a-f]{32}$/);
    const Body = Buffer.alloc(6 * 1024 * 1024, 'part');
    const uploaded = await new Upload({ client: s3, params: { ...object, Body } }).done();
    const { VersionId } = uploaded;
    expect(VersionId)
      .to.match(/^[0-9a-f]{32}$/)
      .and.not.equal(copied.VersionId);
    const head = await s3.send(new HeadObjectCommand({ ...object, VersionId }));
    expect(head).to.deep.include({ VersionId, ContentLength: Body.length });
  });

  it('empties a bucket page by page, and deletes it', async () => {
    expect(await codeOf(s3.send(new DeleteBucketCommand({ Bucket })))).to.equal('BucketNotEmpty');
    for (;;) {
      const page = await s3.send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 2 }));
      const Objects = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(
        ({ Key, VersionId }) => ({ Key, VersionId }),
      );
      if (Objects.length === 0) break;
      const deleted = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
      expect(deleted.Errors).to.equal(undefined);
    }
    await s3.send(new DeleteBucketCommand({ Bucket }));
  });

  it('configures and keeps locks', async () => {
    const DefaultRetention = { Mode: 'GOVERNANCE', Years: 1 } as const;
    const ObjectLockConfiguration = {
      ObjectLockEnabled: 'Enabled',
      Rule: { DefaultRetention },
    } as const;
    await s3.send(
      new PutObjectLockConfigurationCommand({ Bucket: LOCKED, ObjectLockConfiguration }),
    );
    const found = await s3.send(new GetObjectLockConfigurationCommand({ Bucket: LOCKED }));
    expect(found.ObjectLockConfiguration).to.deep.equal(ObjectLockConfiguration);
    expect(await codeOf(become('Suspended', LOCKED))).to.equal('InvalidBucketState');

    const VersionId = await put('kept', { Bucket: LOCKED });
    const version = { Bucket: LOCKED, Key: 'key', VersionId };
    const remove = (more = {}) => s3.send(new DeleteObjectCommand({ ...version, ...more }));
    const head = await s3.send(new HeadObjectCommand(version));
    expect(head.ObjectLockMode).to.equal('GOVERNANCE');
    expect(head.ObjectLockRetainUntilDate).to.be.instanceOf(Date);
    expect(await codeOf(remove())).to.equal('AccessDenied');

    const retain = (RetainUntilDate: Date, more = {}) => {
      const Retention = { Mode: 'GOVERNANCE', RetainUntilDate } as const;
      return s3.send(new PutObjectRetentionCommand({ ...version, Retention, ...more }));
    };
    const sooner = new Date(Date.now() + 86_400_000);
    sooner.setMilliseconds(0);
    expect(await codeOf(retain(sooner))).to.equal('AccessDenied');
    await retain(sooner, { BypassGovernanceRetention: true });
    const { Retention } = await s3.send(new GetObjectRetentionCommand(version));
    expect(Retention?.RetainUntilDate).to.deep.equal(sooner);

    const hold = async (Status: 'ON' | 'OFF') => {
      await s3.send(new PutObjectLegalHoldCommand({ ...version, LegalHold: { Status } }));
      const { LegalHold } = await s3.send(new GetObjectLegalHoldCommand(version));
      expect(LegalHold).to.deep.equal({ Status });
    };
    await hold('ON');
    expect(await codeOf(remove({ BypassGovernanceRetention: true }))).to.equal('AccessDenied');
    await hold('OFF');
    await remove({ BypassGovernanceRetention: true });
  });

  it('locks what it writes, and gets past COMPLIANCE in no way', async () => {
    const VersionId = await put('kept', {
      Bucket: LOCKED,
      ObjectLockMode: 'COMPLIANCE',
      ObjectLockRetainUntilDate: new Date('2099-01-01T00:00:00Z'),
      ObjectLockLegalHoldStatus: 'ON',
    });
    const Delete = { Objects: [{ Key: 'key', VersionId }] };
    const bypass = { BypassGovernanceRetention: true };
    const command = new DeleteObjectsCommand({ Bucket: LOCKED, Delete, ...bypass });
    const { Errors = [] } = await s3.send(command);
    expect(Errors.map(({ Code }) => Code)).to.deep.equal(['AccessDenied']);
    const head = await s3.send(new HeadObjectCommand({ Bucket: LOCKED, Key: 'key', VersionId }));
    expect(head).to.include({ ObjectLockMode: 'COMPLIANCE', ObjectLockLegalHoldStatus: 'ON' });
  });
});
