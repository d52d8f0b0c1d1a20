import { expect } from 'chai';
import type {
  CopyInput,
  CopyOutcome,
  ObjectHead,
  RemovedManifest,
} from '../../../src/backend/backend.js';
import { BackendError, type BackendErrorCode } from '../../../src/backend/errors.js';
import { copyObject } from '../../../src/s3/object/copy-object.js';
import { S3Error } from '../../../src/s3/errors.js';
import type { FoundVersion } from '../../../src/s3/versions/find-version.js';
import type { VersionEntry } from '../../../src/s3/versions/version-entry.js';
import { failureOf } from '../../support/failure.js';
import { contextOf } from '../context.js';

const MANIFEST: RemovedManifest = { size: 9, etag: 'e-2', systemMetadata: {} };

function headOf(etag: string, more: Partial<ObjectHead> = {}): ObjectHead {
  return {
    size: 9,
    etag,
    lastModified: 0,
    contentType: 'text/plain',
    headers: {},
    metadata: { of: etag },
    systemMetadata: {},
    ...more,
  };
}

/** A source that changes whenever it is looked at, and what is asked of the store. */
class Scene {
  readonly inputs: CopyInput[] = [];
  readonly replaced: (RemovedManifest | undefined)[] = [];

  constructor(
    private readonly heads: readonly (ObjectHead | BackendErrorCode)[],
    private readonly outcomes: readonly (CopyOutcome['outcome'] | BackendErrorCode)[],
  ) {}

  /** @param found - where the named version is, one look after the other */
  async run(
    headers: Record<string, string> = {},
    found: readonly FoundVersion[] = [],
  ): Promise<string> {
    const places = found.values();
    const heads = this.heads.values();
    const outcomes = this.outcomes.values();
    const find = () => Promise.resolve(places.next().value);
    const context = contextOf({
      request: 'PUT /target/key',
      headers: { 'x-amz-copy-source': '/source/key', ...headers },
      backend: {
        headObject: () => settle(heads.next().value, (head) => head),
        copyObject: (_call, _from, _to, input) => {
          this.inputs.push(input);
          return settle(outcomes.next().value, asOutcome);
        },
      },
      replaced: (_target, manifest) => this.replaced.push(manifest),
      services: { versions: { find } },
    });
    const { pending } = await copyObject(context);
    const settled = await pending?.document;
    return typeof settled === 'string' ? settled : (settled?.document ?? '');
  }

  async failure(headers?: Record<string, string>): Promise<S3Error | BackendError> {
    const error = await failureOf(this.run(headers));
    if (error instanceof S3Error || error instanceof BackendError) return error;
    throw new Error('expected a failure');
  }
}

/** A code of the backend is thrown, anything else becomes the result. */
function settle<T, R>(step: T | BackendErrorCode | undefined, result: (step: T) => R): Promise<R> {
  if (step === undefined) return Promise.reject(new Error('asked once too often'));
  const isFailure = typeof step === 'string' && /^[A-Z]/.test(step);
  if (isFailure) return Promise.reject(new BackendError(step as BackendErrorCode, 'as told'));
  return Promise.resolve(result(step as T));
}

function asOutcome(outcome: string): CopyOutcome {
  if (outcome !== 'created') return { outcome } as CopyOutcome;
  return { outcome, etag: 'new', lastModified: 0, replacedManifest: MANIFEST };
}

describe('CopyObject', () => {
  it('copies the version that it has looked at, with the attributes of that version', async () => {
    const scene = new Scene(
      [headOf('a'), headOf('b'), headOf('c', { systemMetadata: { 's3-tagging': 'k=v' } })],
      ['source_changed', 'source_changed', 'created'],
    );
    expect(await scene.run()).to.contain('<ETag>&quot;new&quot;</ETag>');
    const asked = scene.inputs.map(({ sourceEtag, metadata }) => [sourceEtag, metadata?.of]);
    expect(asked).to.deep.equal([
      ['a', 'a'],
      ['b', 'b'],
      ['c', 'c'],
    ]);
    expect(scene.inputs.at(-1)?.systemMetadata).to.deep.equal({ 's3-tagging': 'k=v' });
  });

  it('copies the version null, and not the one whose link has taken its place', async () => {
    const entry = { id: 'null', kind: 'version' } as VersionEntry;
    const atKey = { account: 'AUTH_main', container: 'source', object: 'key' };
    const archived = { ...atKey, container: 'source+versions', object: '6b6579/n' };
    const target = { container: 'source+versions', object: `6b6579/${'a'.repeat(32)}` };
    const link = { target, etag: 'later', lastModified: 0, systemMetadata: {} };
    // With a delete marker over it, nothing stands at the key.
    for (const moved of [headOf('later', { link }), 'NoSuchObject'] as const) {
      const scene = new Scene([moved, headOf('null')], ['created']);
      await scene.run({ 'x-amz-copy-source': '/source/key?versionId=null' }, [
        { entry, ref: atKey },
        { entry, ref: archived },
      ]);
      expect(scene.inputs.map(({ sourceEtag }) => sourceEtag)).to.deep.equal(['null']);
    }
  });

  it('checks the conditions of every version', async () => {
    const scene = new Scene([headOf('a'), headOf('b')], ['source_changed']);
    const error = await scene.failure({ 'x-amz-copy-source-if-match': '"a"' });
    expect(error.code).to.equal('PreconditionFailed');
  });

  it('gives up on a source that does not hold still', async () => {
    const heads = Array.from({ length: 20 }, () => headOf('a'));
    const outcomes = heads.map(() => 'source_changed' as const);
    const scene = new Scene(heads, outcomes);
    expect((await scene.failure()).code).to.equal('OperationAborted');
    expect(scene.inputs.length).to.be.within(2, 10);
  });

  it('takes over nothing of the system metadata but tags and a checksum of the bytes', async () => {
    const systemMetadata = {
      's3-tagging': 'k=v',
      's3-checksum': 'CRC32:y/Q5Jg==',
      's3-storage-class': 'GLACIER',
      's3api-acl': '{}',
      's3api-upload-id': 'u',
      unknown: 'x',
    };
    const scene = new Scene([headOf('a', { systemMetadata })], ['created']);
    await scene.run();
    expect(scene.inputs[0]?.systemMetadata).to.deep.equal({
      's3-tagging': 'k=v',
      's3-checksum': 'CRC32:y/Q5Jg==',
    });
    expect(scene.inputs[0]?.listingAttributes).to.deep.equal({ 's3-checksum-algorithm': 'CRC32' });
  });

  it('drops a checksum of part checksums', async () => {
    const systemMetadata = { 's3-checksum': 'CRC32:y/Q5Jg==-2' };
    const scene = new Scene([headOf('e-2', { systemMetadata })], ['created']);
    await scene.run();
    expect(scene.inputs[0]).to.deep.include({ systemMetadata: {}, listingAttributes: {} });
  });

  it('hands over the parts of a large object that it replaced', async () => {
    const scene = new Scene([headOf('a')], ['created']);
    await scene.run();
    expect(scene.replaced).to.deep.equal([MANIFEST]);
  });

  it('refuses a source of more than 5 GiB, and takes one of 5 GiB', async () => {
    const tooLarge = new Scene([headOf('a', { size: 5 * 1024 ** 3 + 1 })], []);
    expect((await tooLarge.failure()).code).to.equal('InvalidRequest');
    const large = new Scene([headOf('a', { size: 5 * 1024 ** 3 })], ['created']);
    expect(await large.run()).to.contain('CopyObjectResult');
  });

  for (const [when, heads, outcomes, code] of [
    ['before', ['NoSuchContainer'], [], 'NoSuchBucket'],
    ['before', ['NoSuchObject'], [], 'NoSuchKey'],
    ['while', [headOf('a')], ['NoSuchSourceContainer'], 'NoSuchBucket'],
    ['while', [headOf('a')], ['NoSuchObject'], 'NoSuchKey'],
  ] as const) {
    it(`names the source in ${code} when it goes ${when} it is copied`, async () => {
      const error = await new Scene(heads, outcomes).failure();
      expect(error).to.be.instanceOf(S3Error).and.include({ code });
      expect(error).to.have.deep.property('details', { BucketName: 'source', Key: 'key' });
    });
  }

  it('leaves a missing target to the pipeline, which names it', async () => {
    const error = await new Scene([headOf('a')], ['NoSuchContainer']).failure();
    expect(error).to.be.instanceOf(BackendError).and.include({ code: 'NoSuchContainer' });
  });

  it('answers the failed condition of the target, and a newer write', async () => {
    const failed = new Scene([headOf('a')], ['precondition_failed']);
    expect((await failed.failure({ 'if-none-match': '*' })).code).to.equal('PreconditionFailed');
    const stale = new Scene([headOf('a')], ['stale']);
    expect((await stale.failure()).code).to.equal('OperationAborted');
  });

  it('refuses to copy a range, since it would copy all', async () => {
    for (const name of ['range', 'x-amz-copy-source-range']) {
      const scene = new Scene([headOf('one')], ['created']);
      expect(await scene.failure({ [name]: 'bytes=0-1' })).to.deep.include({
        code: 'InvalidArgument',
        message: 'The specified header is not valid in this context',
        details: { ArgumentName: name, ArgumentValue: 'bytes=0-1' },
      });
      expect(scene.inputs).to.deep.equal([]);
    }
  });
});
