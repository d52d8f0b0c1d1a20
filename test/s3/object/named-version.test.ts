import { expect } from 'chai';
import type { ObjectHead, ObjectRef } from '../../../src/backend/backend.js';
import { BackendError, type BackendErrorCode } from '../../../src/backend/errors.js';
import { headNamedVersion } from '../../../src/s3/object/named-version.js';
import { S3Error } from '../../../src/s3/errors.js';
import type { FoundVersion } from '../../../src/s3/versions/find-version.js';
import type { VersionEntry } from '../../../src/s3/versions/version-entry.js';
import { codeOf, failureOf } from '../../support/failure.js';
import { contextOf } from '../context.js';

const HEAD = { etag: 'e', lastModified: 1, systemMetadata: {} } as unknown as ObjectHead;
const VERSION = { id: 'null', kind: 'version' } as VersionEntry;
const MARKER = { id: 'f'.repeat(32), kind: 'delete-marker' } as VersionEntry;

/** The result of one call of `headObject`; the last one stands for all later calls. */
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
    const headObject = () => {
      const found = this.found[Math.min(this.reads++, this.found.length - 1)] ?? 'found';
      if (found === 'found') return Promise.resolve(HEAD);
      return Promise.reject(new BackendError(found, 'as planned'));
    };
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
    const { versioning } = this;
    const systemMetadata = versioning === 'unversioned' ? {} : { 's3-versioning': versioning };
    const context = contextOf({
      request: 'HEAD /bucket/key',
      backend: { headObject },
      services: { versions },
      parts: { containerHead: () => Promise.resolve({ systemMetadata }) },
    });
    return headNamedVersion(context);
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
    expect(await codeOf(bench.head())).to.equal('ServiceUnavailable');
    expect(bench.reads).to.be.within(2, 10);
  });

  it('is missing at once where no index knows one', async () => {
    const bench = new Bench(['NoSuchObject'], undefined);
    expect(await codeOf(bench.head())).to.equal('NoSuchObject');
    expect(bench.reads).to.equal(1);
  });

  it('is missing without a look where the bucket never kept versions', async () => {
    const bench = new Bench(['NoSuchObject'], undefined, 'unversioned');
    expect(await codeOf(bench.head())).to.equal('NoSuchObject');
    expect([bench.reads, bench.looks]).to.deep.equal([1, 0]);
  });

  it('is missing with the headers of its delete marker', async () => {
    const failure = await failureOf(new Bench(['NoSuchObject'], MARKER).head(), S3Error);
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
    expect(await codeOf(bench.head())).to.equal('BrokenLink');
    expect(bench.repairs).to.be.within(1, 10);
  });
});

describe('s3 operations: the version null', () => {
  const NAMED: VersionEntry = { ...VERSION, name: 'n', lastModified: 1, size: 0, etag: 'e' };
  const AT_KEY: FoundVersion = { entry: NAMED, ref: refOf('bucket', 'key') };
  const ARCHIVED: FoundVersion = { entry: NAMED, ref: refOf('bucket+versions', '6b/n') };
  const REPLACED: FoundVersion = { entry: NAMED, ref: refOf('bucket+versions', '6b/older') };
  const CURRENT = `${Buffer.from('key').toString('hex')}/${'a'.repeat(32)}`;
  const LINKED = { ...HEAD, etag: 'another', link: { target: refOf('bucket+versions', CURRENT) } };

  /** Reads a version that is found at these places one after the other, the last again and again. */
  function read(versionId: string, found: readonly (FoundVersion | undefined)[], stored: Stored) {
    let looks = 0;
    const find = () => Promise.resolve(found[Math.min(looks++, found.length - 1)]);
    const context = contextOf({
      request: `HEAD /bucket/key?versionId=${versionId}`,
      backend: {
        headObject: (_call, { object }) => {
          const head = stored[object];
          if (head !== undefined) return Promise.resolve(head);
          return Promise.reject(new BackendError('NoSuchObject', object));
        },
      },
      services: { versions: { find } },
    });
    return headNamedVersion(context).then(
      ({ head }) => head.etag,
      (error: unknown) => (error instanceof S3Error ? `${error.code} after ${looks}` : error),
    );
  }

  it('is not taken for the version whose link has taken its place', async () => {
    const stored: Stored = { key: LINKED as unknown as ObjectHead, '6b/n': HEAD };
    expect(await read('null', [AT_KEY, ARCHIVED], stored)).to.equal('e');
    expect(await read('null', [AT_KEY], stored)).to.equal('ServiceUnavailable after 5');
  });

  it('is found again when it has left its place', async () => {
    expect(await read('null', [AT_KEY, ARCHIVED], { '6b/n': HEAD })).to.equal('e');
    expect(await read('null', [REPLACED, ARCHIVED], { '6b/n': HEAD })).to.equal('e');
  });

  it('is missing when it is gone, and a version by an id of its own at once', async () => {
    expect(await read('null', [ARCHIVED, undefined], {})).to.equal('NoSuchVersion after 2');
    expect(await read('null', [ARCHIVED], {})).to.equal('NoSuchVersion after 5');
    expect(await read('f'.repeat(32), [ARCHIVED], {})).to.equal('NoSuchVersion after 1');
  });
});

/** The heads of what is stored, by the names of the objects. */
type Stored = Readonly<Record<string, ObjectHead>>;

function refOf(container: string, object: string): ObjectRef {
  return { account: 'AUTH_main', container, object };
}
