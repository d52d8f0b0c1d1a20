import { expect } from 'chai';
import type { Metadata, ObjectRef } from '../../src/backend/backend.js';
import {
  type BackendCall,
  DecoratedBackend,
} from '../../src/backend/decorators/decorated-backend.js';
import { configurationPatch } from '../../src/s3/bucket/configuration.js';
import { SYSTEM_METADATA } from '../../src/s3/object/attributes.js';
import { versioningPatch } from '../../src/s3/rules/versioning.js';
import { inDays, rules } from '../s3/rules/lifecycle/support.js';
import { useEach } from '../support/fixture.js';
import { ACCOUNT, Bench, BUCKET, CALL, DAY_MS, NEVER, Interposed } from './support.js';
import { VersionsBench } from './versions-support.js';

/** Of the bucket, and of what belongs to it. */
const isWrite = ({ kind, ref }: BackendCall) =>
  kind === 'write' && ref.container?.startsWith(BUCKET) === true;

describe('janitor: rules that are removed while it is in the bucket', () => {
  const bench = useEach(() => Bench.open(), 'close');

  const putMany = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) => bench().put(`key-${String(n).padStart(5, '0')}`)),
    );

  async function pass(): Promise<void> {
    bench().clock.advance(2 * DAY_MS);
    const systemMetadata = configurationPatch('lifecycle', undefined);
    const bucket = { account: ACCOUNT, container: BUCKET };
    const removing = new Interposed(bench().store, isWrite, () =>
      bench().store.updateContainer(CALL, bucket, { systemMetadata }),
    );
    await bench().janitor({}, removing).visit(NEVER, 'now');
    expect(bench().interruptions).to.deep.equal([]);
  }

  it('are not carried out on the next page of objects', async () => {
    await putMany(1100);
    await bench().rules(rules({ expiration: inDays(1) }));
    await pass();
    expect(await bench().keys()).to.have.length(100);
  });

  it('are not carried out on the next keys with versions', async () => {
    await putMany(300);
    const bucket = { account: ACCOUNT, container: BUCKET };
    const systemMetadata = versioningPatch('Enabled') as Metadata;
    await bench().store.updateContainer(CALL, bucket, { systemMetadata });
    await bench().store.createContainer(CALL, { ...bucket, container: `${BUCKET}+versions` }, {});
    await bench().rules(rules({ expiration: inDays(1) }));
    await pass();
    expect(await bench().keys()).to.have.length(300 - 256);
  });

  it('are not carried out on the next upload', async () => {
    for (const [index, key] of ['a', 'b', 'c'].entries()) await bench().upload(key, index + 1, 1);
    await bench().rules(rules({ abortDaysAfterInitiation: 1 }));
    await pass();
    expect(bench().told).to.deep.equal(['abort done a']);
    expect(await bench().segments()).to.include.members(['b/2', 'c/3']);
  });
});

/** The owner takes the tag `go` away as soon as the janitor has read it. */
class TagTaken extends DecoratedBackend {
  #isTaken = false;

  protected override async around<T>(call: BackendCall, proceed: () => Promise<T>): Promise<T> {
    const told = await proceed();
    if (this.#isTaken || call.method !== 'headObject') return told;
    this.#isTaken = true;
    const patch = { systemMetadata: { [SYSTEM_METADATA.tagging]: null } };
    await this.inner.updateObject(CALL, call.ref as ObjectRef, patch);
    return told;
  }
}

describe('janitor: tags that are taken away before a deletion that they asked for', () => {
  const tags = { go: 'yes' };
  const filter = { tags: [{ key: 'go', value: 'yes' }] };

  it('keep the object', async () => {
    const bench = await Bench.open();
    await bench.put('a', 'kept', tags);
    await bench.rules(rules({ expiration: inDays(1), filter }));
    bench.clock.advance(2 * DAY_MS);
    await bench.janitor({}, new TagTaken(bench.store)).visit(NEVER, 'now');
    expect(bench.told).to.deep.equal(['expire changed a']);
    expect(await bench.keys()).to.deep.equal(['a']);
    await bench.close();
  });

  it('keep the noncurrent version', async () => {
    const versions = await VersionsBench.open();
    await versions.put('a', 'old', { days: 9, tags });
    await versions.put('a', 'new', { days: 3 });
    await versions.rules(rules({ noncurrentVersionExpiration: { noncurrentDays: 1 }, filter }));
    expect(await versions.pass(new TagTaken(versions.store))).to.deep.equal([
      'expire_noncurrent changed a',
    ]);
    expect(await versions.show()).to.deep.equal(['a: new, old']);
    await versions.close();
  });
});
