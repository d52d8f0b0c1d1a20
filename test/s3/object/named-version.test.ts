import { expect } from 'chai';
import type { ObjectHead } from '../../../src/backend/backend.js';
import { BackendError, type BackendErrorCode } from '../../../src/backend/errors.js';
import type { RequestContext } from '../../../src/s3/operation.js';
import { headNamedVersion } from '../../../src/s3/object/named-version.js';
import { S3Error } from '../../../src/s3/errors.js';
import type { VersionEntry } from '../../../src/s3/versions/version-entry.js';
import { contextOf } from '../context.js';

const HEAD = { etag: 'e', lastModified: 1, systemMetadata: {} } as unknown as ObjectHead;
const VERSION = { id: 'null', kind: 'version' } as VersionEntry;
const MARKER = { id: 'f'.repeat(32), kind: 'delete-marker' } as VersionEntry;

/** What `headObject` comes to, one call after the other; the last one again and again. */
type Found = BackendErrorCode | 'found';

class Bench {
  reads = 0;
  repairs = 0;
  looks = 0;

  constructor(
    private readonly found: readonly Found[],
    private readonly current: VersionEntry | undefined,
    private readonly versioning: 'Enabled' | 'unversioned' = 'Enabled',
  ) {}

  async head(): Promise<unknown> {
    const context = contextOf({
      request: 'HEAD /bucket/key',
      backend: {
        headObject: () => {
          const found = this.found[Math.min(this.reads++, this.found.length - 1)] ?? 'found';
          if (found === 'found') return Promise.resolve(HEAD);
          return Promise.reject(new BackendError(found, 'as planned'));
        },
      },
    });
    const versions = {
      currentEntry: () => {
        this.looks++;
        return Promise.resolve(this.current);
      },
      repairLink: () => {
        this.repairs++;
        return Promise.resolve();
      },
    };
    const services = { ...context.services, versions };
    const { versioning } = this;
    const systemMetadata = versioning === 'unversioned' ? {} : { 's3-versioning': versioning };
    const containerHead = () => Promise.resolve({ systemMetadata });
    return headNamedVersion({ ...context, services, containerHead } as unknown as RequestContext);
  }

  failure(): Promise<unknown> {
    return this.head().then(
      () => undefined,
      (error: unknown) => error,
    );
  }
}

describe('s3 operations: the current version', () => {
  it('is read again when the index has one after all', async () => {
    const bench = new Bench(['NoSuchObject', 'NoSuchObject', 'found'], VERSION);
    await bench.head();
    expect(bench.reads).to.equal(3);
  });

  it('is not looked for without end', async () => {
    const bench = new Bench(['NoSuchObject'], VERSION);
    expect(await bench.failure()).to.have.property('code', 'NoSuchObject');
    expect(bench.reads).to.be.within(2, 10);
  });

  it('is missing at once where no index knows one', async () => {
    const bench = new Bench(['NoSuchObject'], undefined);
    expect(await bench.failure()).to.have.property('code', 'NoSuchObject');
    expect(bench.reads).to.equal(1);
  });

  it('is missing without a look where the bucket never kept versions', async () => {
    const bench = new Bench(['NoSuchObject'], undefined, 'unversioned');
    expect(await bench.failure()).to.have.property('code', 'NoSuchObject');
    expect([bench.reads, bench.looks]).to.deep.equal([1, 0]);
  });

  it('is missing with the headers of its delete marker', async () => {
    const failure = await new Bench(['NoSuchObject'], MARKER).failure();
    if (!(failure instanceof S3Error)) throw new Error('expected an S3 error');
    expect([failure.code, ...failure.headers]).to.deep.equal([
      'NoSuchKey',
      ['x-amz-delete-marker', 'true'],
      ['x-amz-version-id', MARKER.id],
    ]);
  });

  it('is read through a link that is put right first', async () => {
    const bench = new Bench(['BrokenLink', 'found'], VERSION);
    await bench.head();
    expect([bench.reads, bench.repairs]).to.deep.equal([2, 1]);
  });

  it('is an error where its link stays broken', async () => {
    const bench = new Bench(['BrokenLink'], VERSION);
    expect(await bench.failure()).to.have.property('code', 'BrokenLink');
    expect(bench.repairs).to.be.within(1, 10);
  });
});
