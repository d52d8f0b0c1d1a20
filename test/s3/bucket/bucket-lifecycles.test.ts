import { expect } from 'chai';
import type { Metadata } from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { configurationPatch } from '../../../src/s3/bucket/configuration.js';
import { BucketLifecycles } from '../../../src/s3/bucket/lifecycles.js';
import { renderLifecycleConfiguration } from '../../../src/s3/xml/lifecycle-configuration.js';
import { versioningPatch } from '../../../src/s3/rules/versioning.js';
import { createXmlPool } from '../../../src/s3/xml-pool/index.js';
import { failureOf } from '../../support/failure.js';
import { inDays, rules } from '../rules/lifecycle/support.js';

const CALL = { requestId: 'test' };
const BUCKET = { account: 'AUTH_a', container: 'bucket' };
const RULES = rules({ expiration: inDays(1) });
/** As documented. */
const FRESH_MS = 5_000;

/** A backend of which only containers' heads are asked, and how often. */
class Heads {
  systemMetadata: Metadata = {};
  reads = 0;
  failure: Error | undefined;
  hold: Promise<void> = Promise.resolve();

  async headContainer(): Promise<{ readonly systemMetadata: Metadata }> {
    this.reads += 1;
    const { systemMetadata } = this;
    await this.hold;
    if (this.failure !== undefined) throw this.failure;
    return { systemMetadata };
  }
}

const documents = createXmlPool({ inlineBytesMax: Number.MAX_SAFE_INTEGER });

describe('lifecycle rules of buckets', () => {
  let heads: Heads;
  let now: number;
  let lifecycles: BucketLifecycles;

  beforeEach(() => {
    heads = new Heads();
    now = 0;
    lifecycles = new BucketLifecycles(heads, documents, () => now);
  });

  function store(configuration: typeof RULES | undefined): void {
    const document = configuration && renderLifecycleConfiguration(configuration);
    const patch = configurationPatch('lifecycle', document);
    heads.systemMetadata = Object.fromEntries(
      Object.entries(patch).filter((entry): entry is [string, string] => entry[1] !== null),
    );
  }

  /** The ids of the rules that are given. */
  async function found(): Promise<string[] | undefined> {
    return (await lifecycles.of(CALL, BUCKET))?.rules.map(({ id }) => id);
  }

  it('are read once in five seconds, and given without waiting in between', async () => {
    expect(await lifecycles.of(CALL, BUCKET)).to.equal(undefined);
    store(RULES);
    now = FRESH_MS - 1;
    expect(lifecycles.of(CALL, BUCKET)).to.equal(undefined);
    now = FRESH_MS;
    expect(await found()).to.deep.equal(['0']);
    expect(lifecycles.of(CALL, BUCKET)).to.have.property('rules');
    expect(heads.reads).to.equal(2);
  });

  it('come with what is known of versions, by the same read', async () => {
    expect(await lifecycles.keepsVersions(CALL, BUCKET)).to.equal(false);
    heads.systemMetadata = { ...versioningPatch('Suspended') } as Metadata;
    expect(lifecycles.keepsVersions(CALL, BUCKET)).to.equal(false);
    lifecycles.forget(BUCKET);
    expect(await lifecycles.keepsVersions(CALL, BUCKET)).to.equal(true);
    expect(lifecycles.of(CALL, BUCKET)).to.equal(undefined);
    expect(heads.reads).to.equal(2);
  });

  it('are read once for requests at the same time', async () => {
    store(RULES);
    expect(await Promise.all([found(), found()])).to.deep.equal([['0'], ['0']]);
    expect(heads.reads).to.equal(1);
  });

  it('are seen at once when they were changed here, also during a read', async () => {
    let release = (): void => undefined;
    heads.hold = new Promise((resolve) => (release = resolve));
    const before = lifecycles.of(CALL, BUCKET);
    store(RULES);
    lifecycles.forget(BUCKET);
    release();
    expect(await before).to.equal(undefined);
    expect(await found()).to.deep.equal(['0']);
    expect(lifecycles.of(CALL, BUCKET)).to.have.property('rules');
  });

  it('are not believed when they could not be read', async () => {
    heads.failure = new BackendError('Unavailable', 'away');
    expect(await failureOf(found())).to.equal(heads.failure);
    heads.failure = undefined;
    store(RULES);
    expect(await found()).to.deep.equal(['0']);
  });

  it('are kept for a bounded number of buckets', async () => {
    for (let i = 0; i < 20_000; i++) {
      await lifecycles.of(CALL, { ...BUCKET, container: `bucket-${i}` });
    }
    expect(lifecycles.size).to.be.within(1_000, 17_000);
    await lifecycles.of(CALL, { ...BUCKET, container: 'bucket-19999' });
    expect(heads.reads, 'the youngest is still kept').to.equal(20_000);
  });
});
