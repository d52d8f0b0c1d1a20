import { expect } from 'chai';
import { SYSTEM_METADATA } from '../../src/s3/object/attributes.js';
import { parseColdState } from '../../src/s3/rules/cold/state.js';
import { VersionedKeys } from '../../src/s3/versions/versioned-keys.js';
import { patternBytes } from '../contract/fixture.js';
import { inDays, rules } from '../s3/rules/lifecycle/support.js';
import { failureOf } from '../support/failure.js';
import { ColdBench, refOf } from './cold-support.js';
import { ACCOUNT, BUCKET, CALL, DAY_MS, withoutSweeps } from './support.js';

describe('janitor: cold tier', () => {
  let cold: ColdBench;

  beforeEach(async () => {
    cold = await ColdBench.open();
  });

  afterEach(() => cold.close());

  it('stamps what a Transition is due for, once, and leaves ETag and time alone', async () => {
    const { bench } = cold;
    for (const key of ['logs/a', 'other']) await bench.put(key, 'body', { keep: 'yes' });
    const before = await cold.head('logs/a');
    const transitions = [{ when: inDays(1), storageClass: 'GLACIER' }];
    await bench.rules(rules({ transitions, filter: { prefix: 'logs/' } }));
    bench.clock.advance(2 * DAY_MS);
    const planned = (await bench.dryRun()).map(({ action, key }) => `${action} ${key}`);
    expect(planned).to.deep.equal(['transition logs/a']);
    expect(await cold.pass()).to.deep.equal(['archive done logs/a', 'transition done logs/a']);
    const { systemMetadata, ...after } = await cold.head('logs/a');
    expect({ ...after, systemMetadata: before.systemMetadata }).to.deep.equal(before);
    expect(systemMetadata).to.include({ 's3-storage-class': 'GLACIER', 's3-tagging': 'keep=yes' });
    const { attributes } = await cold.listed('logs/a');
    expect(attributes).to.deep.equal({ 's3-storage-class': 'GLACIER' });
    expect(await cold.isReadable('logs/a')).to.be.false;
    expect(await cold.isReadable('other')).to.be.true;
    await cold.settle();
    expect(await cold.copies()).to.equal(1);
  });

  it('keeps the hot body of what is archived unless it is told to delete it', async () => {
    await cold.close();
    cold = await ColdBench.open({ deleteHot: false });
    const bytes = await cold.putCold('kept');
    expect(await cold.pass()).to.deep.equal(['archive done kept']);
    expect(await cold.pass()).to.deep.equal([]);
    expect((await cold.read('kept')).equals(bytes)).to.be.true;
    expect(await cold.isReadable('kept')).to.be.false;
    expect(await cold.restore('kept')).to.equal(202);
    expect(await cold.isReadable('kept')).to.be.true;
  });

  for (const size of [0, 10, 700_000]) {
    it(`archives, releases and brings back an object of ${size} bytes`, async () => {
      const bytes = await cold.putCold('key', patternBytes(size));
      const before = await cold.head('key');
      const entry = await cold.listed('key');
      expect(await cold.pass()).to.deep.equal(['archive done key']);
      expect(await cold.pass()).to.deep.equal(['release done key']);
      expect(await cold.pass()).to.deep.equal([]);

      const released = await cold.head('key');
      expect(released).to.include({ bodyAbsent: true, etag: before.etag, size });
      expect(released.lastModified).to.equal(before.lastModified);
      expect(await cold.listed('key')).to.deep.equal({ ...entry, state: 'absent' });
      expect(await failureOf(cold.read('key'))).to.have.property('code', 'BodyAbsent');

      expect(await cold.restore('key', 3)).to.equal(202);
      expect(await cold.isReadable('key')).to.be.true;
      expect((await cold.read('key')).equals(bytes)).to.be.true;
      const { systemMetadata, ...restored } = await cold.head('key');
      expect({ ...restored, systemMetadata: before.systemMetadata }).to.deep.equal(before);
      expect(await cold.pass(), 'while the window is open').to.deep.equal([]);

      expect(await cold.restore('key', 1), 'again').to.equal(200);
      const { restoredUntil = 0 } = parseColdState(systemMetadata[SYSTEM_METADATA.cold] ?? '');
      const { systemMetadata: later } = await cold.head('key');
      const shorter = parseColdState(later[SYSTEM_METADATA.cold] ?? '').restoredUntil;
      expect(restoredUntil - (shorter ?? 0)).to.equal(2 * DAY_MS);

      cold.bench.clock.advance(2 * DAY_MS);
      expect(await cold.isReadable('key')).to.be.false;
      expect(await cold.pass(), 'when it is over').to.deep.equal(['release done key']);
      expect(await cold.copies()).to.equal(1);
      await cold.expectKept('key', bytes);
    });
  }

  it('gives an object made of parts its parts back', async () => {
    const { bench } = cold;
    const uploadId = await bench.upload('large', 1, 3);
    await bench.complete('large', uploadId, 3);
    await cold.makeCold('large');
    const before = await cold.head('large');
    const segments = await bench.store.getSegments(CALL, refOf('large'));
    const bytes = await cold.read('large');
    await cold.settle();
    expect(await cold.head('large')).to.include({ bodyAbsent: true, size: bytes.length });
    expect(await bench.segments(), 'the parts go with the body').to.deep.equal([]);
    expect(await cold.restore('large')).to.equal(202);
    const { systemMetadata, ...restored } = await cold.head('large');
    expect({ ...restored, systemMetadata: before.systemMetadata }).to.deep.equal(before);
    expect(systemMetadata).to.include({ [SYSTEM_METADATA.uploadId]: uploadId });
    expect(await bench.store.getSegments(CALL, refOf('large'))).to.deep.equal(segments);
    expect((await cold.read('large')).equals(bytes)).to.be.true;
    cold.bench.clock.advance(2 * DAY_MS);
    await cold.settle();
    expect(await bench.segments()).to.deep.equal([]);
    await cold.expectKept('large', bytes);
  });

  it('discards copies of what was deleted or overwritten, after a while', async () => {
    for (const key of ['deleted', 'overwritten', 'kept']) await cold.putCold(key);
    await cold.settle();
    expect(await cold.copies()).to.equal(3);
    await cold.bench.store.deleteObject(CALL, refOf('deleted'));
    await cold.bench.put('overwritten', 'new');
    expect(await cold.pass(), 'too young').to.deep.equal([]);
    cold.bench.clock.advance(2 * 3_600_000);
    expect(await cold.pass()).to.deep.equal(['discard done deleted', 'discard done overwritten']);
    expect(await cold.copies()).to.equal(1);
    await cold.expectKept('kept', Buffer.from('body'));
    expect((await cold.read('overwritten')).toString()).to.equal('new');
  });

  it('gives an object that a client of the store has copied, stamp and all, a cold copy of its own', async () => {
    const bytes = await cold.putCold('key');
    expect(await cold.pass()).to.deep.equal(['archive done key']);
    await cold.bench.store.copyObject(CALL, refOf('key'), refOf('copy'), {});
    expect(await cold.pass()).to.deep.equal(['release changed copy', 'release done key']);
    await cold.settle();
    await cold.bench.store.deleteObject(CALL, refOf('key'));
    cold.bench.clock.advance(2 * 3_600_000);
    expect(await cold.pass()).to.deep.equal(['discard done key']);
    expect(await cold.copies()).to.equal(1);
    await cold.expectKept('copy', bytes);
  });

  it('does not take the same bytes, written again, for what it has archived', async () => {
    await cold.putCold('key');
    await cold.settle();
    const { lastModified } = await cold.head('key');
    while (Date.now() <= lastModified) await Promise.resolve();
    await cold.putCold('key');
    expect(await cold.isReadable('key')).to.be.false;
    await cold.settle();
    cold.bench.clock.advance(2 * 3_600_000);
    expect(await cold.pass()).to.deep.equal(['discard done key']);
    await cold.expectKept('key', Buffer.from('body'));
  });

  it('lets go of nothing on a store that would overlook another write', async () => {
    const bytes = await cold.putCold('key');
    const { store } = cold.bench;
    const weak = new Proxy(store, {
      get(target, name) {
        if (name === 'capabilities') return { ...target.capabilities, conditionalReplace: false };
        const method: unknown = Reflect.get(target, name, target);
        return typeof method === 'function' ? (method.bind(target) as unknown) : method;
      },
    });
    expect(await cold.pass(weak)).to.deep.equal(['archive done key']);
    expect(await cold.pass(weak)).to.deep.equal(['release unsupported key']);
    expect((await cold.read('key')).equals(bytes)).to.be.true;
  });

  it('leaves alone an object whose bytes cannot be told', async () => {
    const systemMetadata = { [SYSTEM_METADATA.storageClass]: 'GLACIER' };
    await cold.bench.store.putObject(CALL, refOf('odd'), {
      size: 1,
      contentType: 'text/plain',
      body: Buffer.from('x'),
      systemMetadata,
      listingAttributes: systemMetadata,
      seal: () => ({ etag: 'made-up' }),
    });
    expect(await cold.pass()).to.deep.equal(['archive unsupported odd']);
    expect(await cold.copies()).to.equal(0);
  });

  it('goes on behind an object whose stamp cannot be read, and keeps its copy', async () => {
    await cold.putCold('a-damaged');
    await cold.pass();
    const damaged = { systemMetadata: { [SYSTEM_METADATA.cold]: 'damaged' } };
    await cold.bench.store.updateObject(CALL, refOf('a-damaged'), damaged);
    await cold.putCold('b');
    cold.bench.clock.advance(2 * 3_600_000);
    expect(await cold.pass()).to.deep.equal(['archive done b']);
    expect(cold.bench.unreadable).to.deep.equal(['bucket/a-damaged']);
    expect(await cold.copies()).to.equal(2);
    expect((await cold.read('a-damaged')).toString()).to.equal('body');
  });

  it('finds the versions of a bucket in its archive, and what has become one', async () => {
    const { store } = cold.bench;
    const bytes = await cold.putCold('key');
    await cold.settle();
    const { etag, systemMetadata: described, size } = await cold.head('key');
    const versions = new VersionedKeys({ backend: store, indexBytesMax: 65_536 });
    const of = { account: ACCOUNT, bucket: BUCKET, key: 'key' };
    let version = refOf('key');
    const { versionId } = await versions.createVersion(CALL, of, {
      nullVersion: false,
      write: async (ref, added) => {
        version = ref;
        const systemMetadata = { ...described, ...added };
        const copied = { systemMetadata, sourceEtag: etag, absentBody: true } as const;
        const outcome = await store.copyObject(CALL, refOf('key'), ref, copied);
        if (outcome.outcome !== 'created') throw new Error(outcome.outcome);
        return { size, etag, lastModified: outcome.lastModified };
      },
    });
    await versions.deleteVersion(CALL, of, 'null', () => undefined);
    cold.bench.clock.advance(2 * 3_600_000);
    expect(await cold.pass(), 'the version refers to the copy').to.deep.equal([]);
    expect(await cold.restorer().restore(version, 1, CALL)).to.equal(202);
    expect((await cold.read(version.object, version.container)).equals(bytes)).to.be.true;
    cold.bench.clock.advance(2 * DAY_MS);
    expect(withoutSweeps(await cold.pass())).to.deep.equal(['release done key']);
    await versions.deleteVersion(CALL, of, versionId, () => undefined);
    expect(withoutSweeps(await cold.pass())).to.deep.equal(['discard done key']);
    expect(await cold.copies()).to.equal(0);
  });
});
