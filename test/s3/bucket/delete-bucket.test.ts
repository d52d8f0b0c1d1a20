import { expect } from 'chai';
import type { Backend, CallContext, ContainerRef } from '../../../src/backend/backend.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { BackendError } from '../../../src/backend/errors.js';
import type { RequestContext } from '../../../src/s3/operation.js';
import { deleteBucket } from '../../../src/s3/bucket/delete-bucket.js';
import { S3Error } from '../../../src/s3/errors.js';
import { SegmentCleaner, type SegmentCleaning } from '../../../src/s3/segments/cleaner.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { archiveContainer } from '../../../src/s3/versions/names.js';
import { eventually } from '../../support/eventually.js';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { contextOf } from '../context.js';
import { failureOf } from '../../support/failure.js';

const CALL: CallContext = { requestId: 'delete-bucket' };
const BUCKET: ContainerRef = { account: 'AUTH_main', container: 'bucket' };
const KEY = { account: BUCKET.account, bucket: BUCKET.container, key: 'key' };
const ARCHIVE = archiveContainer(KEY.account, KEY.bucket);
const CONFIGURED = {
  metadata: { colour: 'blue' },
  systemMetadata: { 's3-versioning': 'Enabled' },
  acl: { read: '.r:*', write: '' },
};

describe('DeleteBucket', () => {
  const directory = useTempFolder('delete-bucket');
  const store = useEach<Backend>(() => openEmbeddedStore({ directory: directory() }), 'close');
  let versions: VersionedKeys;

  beforeEach(async () => {
    versions = new VersionedKeys({ backend: store(), indexBytesMax: 1024 * 1024 });
    await store().createContainer(CALL, BUCKET, CONFIGURED);
  });

  /** @param justBefore - happens when all was looked at, right before the bucket goes */
  function contextWith(justBefore: () => Promise<unknown>): RequestContext {
    const backend: Partial<Backend> = {
      capabilities: store().capabilities,
      headContainer: store().headContainer.bind(store()),
      createContainer: store().createContainer.bind(store()),
      listObjects: store().listObjects.bind(store()),
      deleteObject: store().deleteObject.bind(store()),
      deleteContainer: async (call, ref) => {
        if (ref.container === BUCKET.container) await justBefore();
        await store().deleteContainer(call, ref);
      },
    };
    const services = { versions, segments: cleaning };
    const parts = { containerHead: () => store().headContainer(CALL, BUCKET) };
    return contextOf({ request: 'DELETE /bucket', backend, services, parts });
  }

  const deleted: string[] = [];
  const cleaning: SegmentCleaning = {
    later: () => undefined,
    aborted: () => Promise.resolve(),
    replaced: () => undefined,
    bucketDeleted: async (bucket, requestId) => {
      deleted.push(bucket.bucket);
      const cleaner = new SegmentCleaner({
        backend: store(),
        graceMs: 0,
        log: { warn: () => undefined },
      });
      await cleaner.bucketDeleted(bucket, requestId);
      await cleaner.close();
    },
  };

  beforeEach(() => void deleted.splice(0));

  it('removes the bucket, its parts, and its archive of versions', async () => {
    const { versionId } = await versions.createDeleteMarker(CALL, KEY, { nullVersion: false });
    await versions.deleteVersion(CALL, KEY, versionId, () => undefined);
    // Objects as young as the deletion stay.
    const { entries } = await store().listObjects(CALL, ARCHIVE, { limit: 10 });
    const times = entries.map((entry) => (entry.kind === 'object' ? entry.object.lastModified : 0));
    expect(times).not.to.be.empty;
    await eventually(
      () => Promise.resolve(Date.now()),
      (now) => now > Math.max(...times),
    );
    const response = await deleteBucket(contextWith(() => Promise.resolve()));
    expect(response.status).to.equal(204);
    expect(deleted).to.deep.equal(['bucket']);
    const { containers } = await store().listContainers(CALL, BUCKET.account, { limit: 10 });
    expect(containers).to.deep.equal([]);
  });

  describe('while the clock is set back', () => {
    const { now } = Date;
    afterEach(() => {
      Date.now = now;
    });

    it('comes to an end, and leaves what may be of a bucket that was made anew', async () => {
      const { versionId } = await versions.createDeleteMarker(CALL, KEY, { nullVersion: false });
      await versions.deleteVersion(CALL, KEY, versionId, () => undefined);
      const times = [now(), now() - 3_600_000];
      Date.now = () => times.shift() ?? now() - 3_600_000;
      const response = await deleteBucket(contextWith(() => Promise.resolve()));
      expect(response.status).to.equal(204);
      const { entries } = await store().listObjects(CALL, ARCHIVE, { limit: 10 });
      expect(entries).not.to.be.empty;
    });
  });

  it('is done where the store deletes it twice, since its first answer was lost', async () => {
    const context = contextWith(() => store().deleteContainer(CALL, BUCKET));
    expect((await deleteBucket(context)).status).to.equal(204);
    expect(deleted).to.deep.equal(['bucket']);
  });

  it('gives the bucket back also where its archive does not answer', async () => {
    const context = contextWith(() => Promise.resolve());
    const { backend } = context.services;
    let isGone = false;
    const unanswered = () => Promise.reject(new BackendError('Unavailable', 'no answer'));
    const broken: Backend = {
      ...backend,
      deleteContainer: async (call, ref) => {
        await store().deleteContainer(call, ref);
        isGone = true;
      },
      listObjects: (...args) => (isGone ? unanswered() : store().listObjects(...args)),
      createContainer: (call, ref, input) =>
        input.placedLike === undefined ? store().createContainer(call, ref, input) : unanswered(),
    };
    const services = { ...context.services, backend: broken };
    const refused = await failureOf(deleteBucket({ ...context, services }), BackendError);
    expect(refused.code).to.equal('Unavailable');
    expect(await store().headContainer(CALL, BUCKET)).to.deep.include(CONFIGURED);
  });

  it('gives the bucket back as it was when versions came in between', async () => {
    const writeVersion = async (): Promise<void> => {
      await versions.createVersion(CALL, KEY, {
        nullVersion: false,
        write: async (ref, systemMetadata) => {
          const input = { size: 4, contentType: '', body: Buffer.from('body'), systemMetadata };
          const put = await store().putObject(CALL, ref, input);
          if (put.outcome !== 'created') throw new Error(put.outcome);
          return { size: 4, etag: put.etag, lastModified: put.lastModified };
        },
      });
      // Behind a delete marker, the store itself finds the bucket empty.
      await versions.createDeleteMarker(CALL, KEY, { nullVersion: false });
    };
    const refused = await failureOf(deleteBucket(contextWith(writeVersion)), S3Error);
    expect(refused.code).to.equal('BucketNotEmpty');
    expect(deleted, 'parts that versions may be made of').to.deep.equal([]);
    expect(await store().headContainer(CALL, BUCKET)).to.deep.include(CONFIGURED);
    const { entries } = await versions.readIndex(CALL, KEY);
    expect(entries.map(({ kind }) => kind)).to.deep.equal(['delete-marker', 'version']);
    const found = await versions.find(CALL, KEY, entries[1]?.id ?? '');
    expect(found && (await store().headObject(CALL, found.ref)).size).to.equal(4);
  });
});
