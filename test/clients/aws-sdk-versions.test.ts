import { DeleteObjectsCommand, type S3, S3ServiceException } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { expect } from 'chai';
import { failureOf } from '../support/failure.js';
import { useBench, useSdk } from './harness.js';

const Bucket = 'sdk-versions';
const LOCKED = 'sdk-locked';
const object = { Bucket, Key: 'key' };

describe('client: @aws-sdk/client-s3, versions and locks', function () {
  const sdk = useSdk(useBench(this));
  let s3: S3;

  before(async () => {
    s3 = sdk();
    await s3.createBucket({ Bucket });
    await s3.createBucket({ Bucket: LOCKED, ObjectLockEnabledForBucket: true });
  });

  async function put(Body: string, more = {}): Promise<string | undefined> {
    return (await s3.putObject({ ...object, Body, ...more })).VersionId;
  }

  async function read(VersionId?: string): Promise<string | undefined> {
    const { Body } = await s3.getObject({ ...object, VersionId });
    return Body?.transformToString();
  }

  function become(Status: 'Enabled' | 'Suspended', of = Bucket): Promise<unknown> {
    const VersioningConfiguration = { Status };
    return s3.putBucketVersioning({ Bucket: of, VersioningConfiguration });
  }

  const codeOf = async (request: Promise<unknown>): Promise<string> =>
    (await failureOf(request, S3ServiceException)).name;

  it('goes through the states of a bucket', async () => {
    expect((await s3.getBucketVersioning({ Bucket })).Status).to.equal(undefined);
    expect(await put('plain')).to.equal(undefined);
    await become('Enabled');
    expect((await s3.getBucketVersioning({ Bucket })).Status).to.equal('Enabled');
    const first = await put('first');
    await become('Suspended');
    expect([await put('one'), await put('other')]).to.deep.equal(['null', 'null']);
    expect([await read(), await read('null'), await read(first)]).to.deep.equal([
      ...['other', 'other', 'first'],
    ]);
    await become('Enabled');
    const { Versions = [] } = await s3.listObjectVersions({ Bucket });
    expect(Versions.map(({ VersionId, IsLatest }) => [VersionId, IsLatest])).to.deep.equal([
      ['null', true],
      [first, false],
    ]);
  });

  it('deletes, and tells of markers also in errors', async () => {
    const deleted = await s3.deleteObject(object);
    expect(deleted.DeleteMarker).to.equal(true);
    expect(await codeOf(s3.getObject(object))).to.equal('NoSuchKey');
    const { VersionId } = deleted;
    const ofMarker = s3.getObject({ ...object, VersionId });
    expect(await codeOf(ofMarker)).to.equal('MethodNotAllowed');
    const removed = await s3.deleteObject({ ...object, VersionId });
    expect(removed).to.deep.include({ DeleteMarker: true, VersionId });
    expect(await read()).to.equal('other');
    const malformed = s3.getObject({ ...object, VersionId: 'what' });
    expect(await codeOf(malformed)).to.equal('InvalidArgument');
    const unknown = s3.getObject({ ...object, VersionId: 'f'.repeat(32) });
    expect(await codeOf(unknown)).to.equal('NoSuchVersion');
  });

  it('makes versions of copies and of uploads in parts', async () => {
    const source = await put('source');
    const CopySource = `${Bucket}/key?versionId=${source}`;
    const copied = await s3.copyObject({ ...object, CopySource });
    expect(copied.CopySourceVersionId).to.equal(source);
    expect(copied.VersionId).to.match(/^[0-9a-f]{32}$/);
    const Body = Buffer.alloc(6 * 1024 * 1024, 'part');
    const uploaded = await new Upload({ client: s3, params: { ...object, Body } }).done();
    const { VersionId } = uploaded;
    expect(VersionId)
      .to.match(/^[0-9a-f]{32}$/)
      .and.not.equal(copied.VersionId);
    const head = await s3.headObject({ ...object, VersionId });
    expect(head).to.deep.include({ VersionId, ContentLength: Body.length });
  });

  it('empties a bucket page by page, and deletes it', async () => {
    expect(await codeOf(s3.deleteBucket({ Bucket }))).to.equal('BucketNotEmpty');
    for (;;) {
      const page = await s3.listObjectVersions({ Bucket, MaxKeys: 2 });
      const Objects = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(
        ({ Key, VersionId }) => ({ Key, VersionId }),
      );
      if (Objects.length === 0) break;
      const deleted = await s3.deleteObjects({ Bucket, Delete: { Objects } });
      expect(deleted.Errors).to.equal(undefined);
    }
    await s3.deleteBucket({ Bucket });
  });

  it('configures and keeps locks', async () => {
    const DefaultRetention = { Mode: 'GOVERNANCE', Years: 1 } as const;
    const ObjectLockConfiguration = {
      ObjectLockEnabled: 'Enabled',
      Rule: { DefaultRetention },
    } as const;
    await s3.putObjectLockConfiguration({ Bucket: LOCKED, ObjectLockConfiguration });
    const found = await s3.getObjectLockConfiguration({ Bucket: LOCKED });
    expect(found.ObjectLockConfiguration).to.deep.equal(ObjectLockConfiguration);
    expect(await codeOf(become('Suspended', LOCKED))).to.equal('InvalidBucketState');

    const VersionId = await put('kept', { Bucket: LOCKED });
    const version = { Bucket: LOCKED, Key: 'key', VersionId };
    const remove = (more = {}) => s3.deleteObject({ ...version, ...more });
    const head = await s3.headObject(version);
    expect(head.ObjectLockMode).to.equal('GOVERNANCE');
    expect(head.ObjectLockRetainUntilDate).to.be.instanceOf(Date);
    expect(await codeOf(remove())).to.equal('AccessDenied');

    const retain = (RetainUntilDate: Date, more = {}) => {
      const Retention = { Mode: 'GOVERNANCE', RetainUntilDate } as const;
      return s3.putObjectRetention({ ...version, Retention, ...more });
    };
    const sooner = new Date(Date.now() + 86_400_000);
    sooner.setMilliseconds(0);
    expect(await codeOf(retain(sooner))).to.equal('AccessDenied');
    await retain(sooner, { BypassGovernanceRetention: true });
    const { Retention } = await s3.getObjectRetention(version);
    expect(Retention?.RetainUntilDate).to.deep.equal(sooner);

    const hold = async (Status: 'ON' | 'OFF') => {
      await s3.putObjectLegalHold({ ...version, LegalHold: { Status } });
      const { LegalHold } = await s3.getObjectLegalHold(version);
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
    const head = await s3.headObject({ Bucket: LOCKED, Key: 'key', VersionId });
    expect(head).to.include({ ObjectLockMode: 'COMPLIANCE', ObjectLockLegalHoldStatus: 'ON' });
  });
});
