import { expect } from 'chai';
import type { Metadata } from '../../src/backend/backend.js';
import {
  type BackendCall,
  DecoratedBackend,
} from '../../src/backend/decorators/decorated-backend.js';
import { configurationPatch } from '../../src/s3/bucket/configuration.js';
import { versioningPatch } from '../../src/s3/rules/versioning.js';
import { inDays, rules } from '../s3/rules/lifecycle/support.js';
import { ACCOUNT, Bench, BUCKET, CALL, DAY_MS } from './support.js';

const NEVER = new AbortController().signal;

/** The owner removes the rules when the janitor changes something in the bucket for the first time. */
class RulesRemoved extends DecoratedBackend {
  #isRemoved = false;

  protected override async around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    const isOfBucket = call.ref.container?.startsWith(BUCKET) === true;
    if (!this.#isRemoved && isOfBucket && call.kind === 'write') {
      this.#isRemoved = true;
      const systemMetadata = configurationPatch('lifecycle', undefined);
      await this.inner.updateContainer(
        CALL,
        { account: ACCOUNT, container: BUCKET },
        { systemMetadata },
      );
    }
    return proceed();
  }
}

describe('janitor: rules that are removed while it is in the bucket', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await Bench.open();
  });

  afterEach(() => bench.close());

  const putMany = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) => bench.put(`key-${String(n).padStart(5, '0')}`)),
    );

  async function pass(): Promise<void> {
    bench.clock.advance(2 * DAY_MS);
    await bench.janitor({}, new RulesRemoved(bench.store)).visit(NEVER, 'now');
    expect(bench.interruptions).to.deep.equal([]);
  }

  it('are not carried out on the next page of objects', async () => {
    await putMany(1100);
    await bench.rules(rules({ expiration: inDays(1) }));
    await pass();
    expect(await bench.keys()).to.have.length(100);
  });

  it('are not carried out on the next keys with versions', async () => {
    await putMany(300);
    const bucket = { account: ACCOUNT, container: BUCKET };
    const systemMetadata = versioningPatch('Enabled') as Metadata;
    await bench.store.updateContainer(CALL, bucket, { systemMetadata });
    await bench.store.createContainer(CALL, { ...bucket, container: `${BUCKET}+versions` }, {});
    await bench.rules(rules({ expiration: inDays(1) }));
    await pass();
    expect(await bench.keys()).to.have.length(300 - 256);
  });

  it('are not carried out on the next upload', async () => {
    for (const [index, key] of ['a', 'b', 'c'].entries()) await bench.upload(key, index + 1, 1);
    await bench.rules(rules({ abortDaysAfterInitiation: 1 }));
    await pass();
    expect(bench.told).to.deep.equal(['abort done a']);
    expect(await bench.segments()).to.include.members(['b/2', 'c/3']);
  });
});
