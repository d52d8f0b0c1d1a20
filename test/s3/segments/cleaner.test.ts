import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { SYSTEM_METADATA } from '../../../src/s3/object/attributes.js';
import { SegmentCleaner } from '../../../src/s3/segments/cleaner.js';
import { markerOf, partOf, targetOf } from '../../../src/s3/segments/names.js';
import {
  removeSegmentsContainer,
  removeUnreferencedParts,
} from '../../../src/s3/segments/remove.js';
import { archiveContainer, hexKey } from '../../../src/s3/versions/names.js';
import { eventually } from '../../support/eventually.js';
import { until } from '../../support/until.js';
import {
  ACCOUNT,
  BUCKET,
  CALL,
  COMPANION,
  complete,
  itOnBucket,
  namesIn,
  newUpload,
  openUpload,
} from './support.js';

/** Longer than any test. */
const HOUR_MS = 3_600_000;
const PLACE = { account: ACCOUNT, bucket: BUCKET };

describe('s3 segments: removal', () => {
  itOnBucket('leaves the parts of an open upload alone', async (backend) => {
    const upload = await openUpload(backend, 'k', [1, 2]);
    const before = await namesIn(backend);
    const outcome = { outcome: 'open' };
    expect(await removeUnreferencedParts(backend, CALL, upload)).to.deep.equal(outcome);
    expect(await namesIn(backend)).to.deep.equal(before);
  });

  itOnBucket('leaves what the object is made of, and removes the other parts', async (backend) => {
    const upload = await openUpload(backend, 'k', [1, 2, 10]);
    await complete(backend, upload, [1, 10]);
    const outcome = { outcome: 'removed', parts: 1 };
    expect(await removeUnreferencedParts(backend, CALL, upload)).to.deep.equal(outcome);
    const kept = [partOf(upload, 1).object, partOf(upload, 10).object];
    expect(await namesIn(backend)).to.deep.equal(kept);
  });

  itOnBucket('removes parts whose key is a link of another client', async (backend) => {
    const upload = await openUpload(backend, 'k', [1, 2]);
    await complete(backend, upload, [1, 2]);
    const target = { container: 'elsewhere', object: 'o' };
    const link = { target, size: 0, etag: 'link', contentType: 'a/b' };
    await backend.putLink(CALL, targetOf(upload), link);
    const outcome = { outcome: 'removed', parts: 2 };
    expect(await removeUnreferencedParts(backend, CALL, upload)).to.deep.equal(outcome);
  });

  for (const [what, change] of [
    ['deleted', (backend: Backend, ref: Ref) => backend.deleteObject(CALL, ref)],
    ['overwritten', (backend: Backend, ref: Ref) => backend.putObject(CALL, ref, SMALL)],
    ['copied onto itself', (backend: Backend, ref: Ref) => backend.copyObject(CALL, ref, ref, {})],
  ] as const) {
    itOnBucket(
      `removes all parts once the object is ${what}, and nothing of others`,
      async (backend) => {
        const upload = await openUpload(backend, 'k', [1, 2]);
        await complete(backend, upload, [1, 2]);
        const other = await openUpload(backend, 'k', [1]);
        // Its names begin like those of the first one's parts.
        const nested = await openUpload(backend, `k/${upload.uploadId}`, [1]);
        await change(backend, targetOf(upload));
        const outcome = { outcome: 'removed', parts: 2 };
        expect(await removeUnreferencedParts(backend, CALL, upload)).to.deep.equal(outcome);
        expect(await namesIn(backend)).to.have.members([
          ...[markerOf(other).object, partOf(other, 1).object],
          ...[markerOf(nested).object, partOf(nested, 1).object],
        ]);
      },
    );
  }

  itOnBucket('leaves what versions are made of, which no index may name yet', async (backend) => {
    const upload = await openUpload(backend, 'k', [1, 2]);
    await complete(backend, upload, [1]);
    const segments = await backend.getSegments(CALL, targetOf(upload));
    const archive = archiveContainer(ACCOUNT, BUCKET);
    await backend.createContainer(CALL, archive, {});
    const made = { [SYSTEM_METADATA.uploadId]: upload.uploadId };
    const version = { ...archive, object: `${hexKey('k')}/${'0'.repeat(32)}` };
    await backend.putManifest(CALL, version, {
      contentType: '',
      segments: segments ?? [],
      etag: 'x-1',
      systemMetadata: made,
      listingAttributes: made,
    });
    await backend.deleteObject(CALL, targetOf(upload));
    const outcome = { outcome: 'removed', parts: 1 };
    expect(await removeUnreferencedParts(backend, CALL, upload)).to.deep.equal(outcome);
    expect(await namesIn(backend)).to.deep.equal([partOf(upload, 1).object]);
  });

  itOnBucket('leaves parts that are younger than what it was told of', async (backend) => {
    const upload = await openUpload(backend, 'k', [1]);
    await complete(backend, upload, [1]);
    await backend.deleteObject(CALL, targetOf(upload));
    const { lastModified } = await backend.headObject(CALL, partOf(upload, 1));
    const removeUpTo = (notAfter: number) =>
      removeUnreferencedParts(backend, CALL, upload, notAfter);
    expect(await removeUpTo(lastModified - 1)).to.include({ parts: 0 });
    expect(await namesIn(backend)).to.deep.equal([partOf(upload, 1).object]);
    expect(await removeUpTo(lastModified)).to.include({ parts: 1 });
    expect(await namesIn(backend)).to.deep.equal([]);
  });

  itOnBucket('removes a companion container with all that is in it, or none', async (backend) => {
    await openUpload(backend, 'a', [1, 2, 3]);
    await openUpload(backend, 'b', []);
    for (let times = 0; times < 2; times++) {
      await removeSegmentsContainer(backend, CALL, { ...PLACE, deletedAfter: Date.now() });
      const { containers } = await backend.listContainers(CALL, ACCOUNT, { limit: 10 });
      expect(containers.map(({ name }) => name)).to.deep.equal([BUCKET]);
    }
  });

  itOnBucket('leaves what is younger: the bucket may be there again', async (backend) => {
    const old = await openUpload(backend, 'k', [1]);
    const { lastModified: deletedAfter } = await backend.headObject(CALL, partOf(old, 1));
    // The store's clock is this one.
    await until(() => Date.now() > deletedAfter);
    const upload = await openUpload(backend, 'k', [1]);
    await removeSegmentsContainer(backend, CALL, { ...PLACE, deletedAfter });
    const left = [markerOf(upload).object, partOf(upload, 1).object];
    expect(await namesIn(backend)).to.have.members(left);
  });

  itOnBucket('leaves what has been written anew since it was listed', async (backend) => {
    const upload = await openUpload(backend, 'k', [1]);
    const part = partOf(upload, 1);
    const racing = rewritingWhenListed(backend, part);
    // Not by its age: a store's clock may be another one.
    const deletedAfter = Infinity;
    await removeSegmentsContainer(racing, CALL, { ...PLACE, deletedAfter });
    expect(await namesIn(backend)).to.deep.equal([part.object]);
  });
});

type Ref = ReturnType<typeof targetOf>;
const SMALL = { size: 1, contentType: 'text/plain', body: Buffer.from('x') };

describe('s3 segments: cleaner', () => {
  itOnBucket('cleans when the grace period is over', async (backend) => {
    const upload = await openUpload(backend, 'k', [1, 2]);
    await complete(backend, upload, [1, 2]);
    const cleaner = cleanerOf(backend, 1);
    const deleted = await backend.deleteObject(CALL, targetOf(upload));
    const manifest = deleted.outcome === 'deleted' ? deleted.removedManifest : undefined;
    cleaner.replaced(targetOf(upload), manifest, 'r');
    await eventually(
      () => namesIn(backend),
      (names) => names.length === 0,
    );
    await cleaner.close();
  });

  itOnBucket(
    'lets the parts be until then, and leaves them to the sweeper when it is closed',
    async (backend) => {
      const upload = await openUpload(backend, 'k', [1]);
      await backend.deleteObject(CALL, markerOf(upload));
      const cleaner = cleanerOf(backend, HOUR_MS);
      cleaner.later(upload, 'r');
      cleaner.later(upload, 'r');
      expect(cleaner.waiting).to.equal(1);
      await cleaner.close();
      expect(await namesIn(backend)).to.deep.equal([partOf(upload, 1).object]);
      cleaner.later(upload, 'r');
      expect(cleaner.waiting).to.equal(0);
    },
  );

  itOnBucket('knows nothing of objects that were not made of parts', async (backend) => {
    const cleaner = cleanerOf(backend, HOUR_MS);
    const ref = { ...COMPANION, object: 'k' };
    cleaner.replaced(ref, undefined, 'r');
    cleaner.replaced(ref, { size: 1, etag: 'e', systemMetadata: {} }, 'r');
    expect(cleaner.waiting).to.equal(0);
    await cleaner.close();
  });

  itOnBucket('cleans up after an abort at once', async (backend) => {
    const upload = await openUpload(backend, 'k', [1, 2, 3]);
    await backend.deleteObject(CALL, markerOf(upload));
    const cleaner = cleanerOf(backend, HOUR_MS);
    await cleaner.aborted(upload, 'r');
    expect(await namesIn(backend)).to.deep.equal([]);
    await cleaner.close();
  });

  itOnBucket('waits with that where a completion may be under way', async (backend) => {
    const upload = await openUpload(backend, 'k', [1]);
    const capabilities = { ...backend.capabilities, atomicGuard: false };
    const cleaner = cleanerOf({ ...backend, capabilities }, HOUR_MS);
    await cleaner.aborted(upload, 'r');
    expect(cleaner.waiting).to.equal(1);
    await cleaner.close();
  });

  itOnBucket(
    'holds a bounded number of uploads, and says once when there are more',
    async (backend) => {
      const warnings: string[] = [];
      const cleaner = cleanerOf(backend, HOUR_MS, warnings, 2);
      for (const key of ['a', 'b', 'c', 'd']) cleaner.later(newUpload(key), 'r');
      expect(cleaner.waiting).to.equal(2);
      expect(warnings).to.have.lengthOf(1);
      await cleaner.close();
    },
  );

  it('tries again when the store fails, a few times', async () => {
    const warnings: string[] = [];
    const failing = { headObject: () => Promise.reject(unavailable()) } as unknown as Backend;
    const cleaner = cleanerOf(failing, 0, warnings);
    cleaner.later(newUpload('k'), 'r');
    await until(() => warnings.length === 3);
    expect(cleaner.waiting).to.equal(0);
    await cleaner.close();
  });

  it('does not fail when a deleted bucket cannot be cleaned up', async () => {
    const warnings: string[] = [];
    const failing = { listObjects: () => Promise.reject(unavailable()) } as unknown as Backend;
    const cleaner = cleanerOf(failing, 0, warnings);
    await cleaner.bucketDeleted({ ...PLACE, deletedAfter: Date.now() }, 'r');
    expect(warnings).to.deep.equal([
      'parts of a deleted bucket left behind',
      'archive of a deleted bucket left behind',
    ]);
    await cleaner.close();
  });
});

function cleanerOf(
  backend: Backend,
  graceMs: number,
  warnings: string[] = [],
  waitingMax?: number,
): SegmentCleaner {
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
  return new SegmentCleaner({ backend, graceMs, log, waitingMax });
}

/** Its parts are written anew whenever somebody has listed them. */
function rewritingWhenListed(backend: Backend, part: Ref): Backend {
  const listObjects: Backend['listObjects'] = async (...query) => {
    const page = await backend.listObjects(...query);
    await backend.putObject(CALL, part, SMALL);
    return page;
  };
  return new Proxy(backend, {
    get(target, name) {
      if (name === 'listObjects') return listObjects;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

function unavailable(): BackendError {
  return new BackendError('Unavailable', 'not now');
}
