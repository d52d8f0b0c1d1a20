import { expect } from 'chai';
import type * as B from '../../src/backend/backend.js';
import { DecoratedBackend } from '../../src/backend/decorators/decorated-backend.js';
import { BackendError } from '../../src/backend/errors.js';
import { VersionedKeys } from '../../src/s3/versions/versioned-keys.js';
import { inDays, rules } from '../s3/rules/lifecycle/support.js';
import { useEach } from '../support/fixture.js';
import { ColdBench, refOf } from './cold-support.js';
import { ACCOUNT, BUCKET, CALL, DAY_MS } from './support.js';

/** A store whose listings show what was written, whatever becomes of it: Swift's. */
class FixedListings extends DecoratedBackend {
  constructor(inner: B.Backend) {
    super(inner, { ...inner.capabilities, listingUpdates: false });
  }

  override updateObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    update: B.ObjectUpdate,
    precondition?: B.UpdatePrecondition,
  ): Promise<B.UpdateOutcome> {
    refuse(update);
    return super.updateObject(context, ref, update, precondition);
  }

  override updateBody(
    context: B.CallContext,
    ref: B.ObjectRef,
    update: B.BodyUpdate,
    precondition: B.UpdatePrecondition,
  ): Promise<B.UpdateOutcome> {
    refuse(update);
    return super.updateBody(context, ref, update, precondition);
  }
}

function refuse({ listingAttributes }: B.ObjectUpdate): void {
  if (listingAttributes === undefined) return;
  throw new BackendError('Unsupported', 'what a listing shows cannot be changed');
}

describe('janitor: cold tier, where listings do not follow updates', () => {
  const cold = useEach(() => ColdBench.open({ deleteHot: false }), 'close');
  const store = useEach<B.Backend>(() => new FixedListings(cold().bench.store));

  it('moves an object to a cold class once, and finds it to be archived', async () => {
    const { bench } = cold();
    await bench.put('logs/a', 'body');
    const transitions = [{ when: inDays(1), storageClass: 'GLACIER' }];
    await bench.rules(rules({ transitions, filter: { prefix: 'logs/' } }));
    bench.clock.advance(2 * DAY_MS);
    const told = await cold().pass(store());
    expect(told).to.deep.equal(['archive done logs/a', 'transition done logs/a']);
    const { systemMetadata } = await cold().head('logs/a');
    expect(systemMetadata).to.include({ 's3-storage-class': 'GLACIER' });
    expect((await cold().listed('logs/a')).attributes).to.deep.equal({});
    expect(await cold().isReadable('logs/a')).to.be.false;
    expect(await cold().pass(store()), 'when it is there already').to.deep.equal([]);
  });

  it('restores what it has archived', async () => {
    const bytes = await cold().putCold('key');
    expect(await cold().pass(store())).to.deep.equal(['archive done key']);
    expect(await cold().restorer(store()).restore(refOf('key'), 1, CALL)).to.equal(202);
    expect((await cold().read('key')).equals(bytes)).to.be.true;
    expect(await cold().pass(store())).to.deep.equal([]);
  });

  it('keeps the copy of an object that has become a version', async () => {
    const bytes = await cold().putCold('key');
    expect(await cold().pass(store())).to.deep.equal(['archive done key']);
    const { etag, systemMetadata: described } = await cold().head('key');
    const versions = new VersionedKeys({ backend: store(), indexBytesMax: 65_536 });
    const of = { account: ACCOUNT, bucket: BUCKET, key: 'key' };
    await versions.createVersion(CALL, of, {
      nullVersion: false,
      write: async (ref, added) => {
        const systemMetadata = { ...described, ...added };
        const copied = { systemMetadata, sourceEtag: etag, listingAttributes: {} };
        const outcome = await store().copyObject(CALL, refOf('key'), ref, copied);
        if (outcome.outcome !== 'created') throw new Error(outcome.outcome);
        return { size: bytes.length, etag, lastModified: outcome.lastModified };
      },
    });
    await versions.deleteVersion(CALL, of, 'null', () => undefined);
    cold().bench.clock.advance(2 * 3_600_000);
    const told = await cold().pass(store());
    expect(told.filter((line) => line.startsWith('discard'))).to.deep.equal([]);
    expect(await cold().copies()).to.equal(1);
  });
});
