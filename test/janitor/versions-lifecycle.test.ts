import { expect } from 'chai';
import type { BackendCall } from '../../src/backend/decorators/decorated-backend.js';
import { objectLockPatch } from '../../src/s3/bucket/configuration.js';
import { lockMetadata } from '../../src/s3/rules/object-lock/stored.js';
import type { RetentionMode } from '../../src/s3/rules/object-lock/retention.js';
import { inDays, rules } from '../s3/rules/lifecycle/support.js';
import { errorOf } from '../support/failure.js';
import { useEach } from '../support/fixture.js';
import { ACCOUNT, BUCKET, CALL, DAY_MS, Interposed, withoutSweeps } from './support.js';
import { gatewayOn, keyOf, listVersions, VersionsBench } from './versions-support.js';

const NONCURRENT = { noncurrentVersionExpiration: { noncurrentDays: 1 } };

const isPutOfArchive = ({ method, ref }: BackendCall) =>
  method === 'putObject' && ref.container === `${BUCKET}+versions`;

describe('janitor: rules in a bucket that keeps versions', () => {
  const versions = useEach(() => VersionsBench.open(), 'close');

  /** A pass, which does what a dry run said before, without what is swept: the clock is ahead. */
  async function passAsPlanned(): Promise<string[]> {
    const planned = withoutSweeps(await versions().planned());
    const told = withoutSweeps(await versions().pass());
    expect(told).to.deep.equal(planned);
    return told;
  }

  it('puts a delete marker in front of what expires, and takes nothing away', async () => {
    await versions().put('a', 'old', { days: 9 });
    await versions().put('a', 'older than two', { days: 3 });
    await versions().put('b', 'young');
    await versions().bench.put('plain', 'written before');
    await versions().rules(rules({ expiration: inDays(2) }));
    expect(await passAsPlanned()).to.deep.equal(['expire_current done a']);
    expect(await versions().show()).to.deep.equal([
      'a: -, older than two, old',
      'b: young',
      'plain: null written before',
    ]);
    versions().bench.clock.advance(4 * DAY_MS);
    expect(await passAsPlanned()).to.deep.equal([
      'expire_current done b',
      'expire_current done plain',
    ]);
    expect(await versions().show()).to.deep.equal([
      'a: -, older than two, old',
      'b: -, young',
      'plain: -, null written before',
    ]);
    expect(await versions().bench.keys()).to.deep.equal([]);
    expect(await passAsPlanned()).to.deep.equal([]);
  });

  it('lets the marker of a suspended bucket take the place of the version null', async () => {
    await versions().put('a', 'kept', { days: 9 });
    await versions().put('b', 'kept', { days: 9 });
    await versions().setState('Suspended');
    await versions().put('a', 'overwritten', { days: 5 });
    await versions().rules(rules({ expiration: inDays(2) }));
    expect(await passAsPlanned()).to.deep.equal(['expire_current done a', 'expire_current done b']);
    expect(await versions().show()).to.deep.equal(['a: null -, kept', 'b: null -, kept']);
  });

  it('removes noncurrent versions by how long they are noncurrent', async () => {
    await versions().put('a', '1', { days: 100 });
    await versions().put('a', '2', { days: 50 });
    await versions().mark('a', 40);
    await versions().put('a', '4', { days: 3 });
    await versions().put('a', '5');
    await versions().put('only', 'current', { days: 100 });
    await versions().rules(rules({ noncurrentVersionExpiration: { noncurrentDays: 20 } }));
    expect(await passAsPlanned()).to.deep.equal(Array(2).fill('expire_noncurrent done a'));
    expect(await versions().show()).to.deep.equal(['a: 5, 4, -', 'only: current']);
  });

  it('keeps as many noncurrent versions as NewerNoncurrentVersions says', async () => {
    for (const n of [9, 8, 7, 6, 5, 4]) await versions().put('a', String(n), { days: n });
    await versions().mark('a', 3);
    await versions().put('a', 'now', { days: 2 });
    const noncurrentVersionExpiration = { noncurrentDays: 1, newerNoncurrentVersions: 2 };
    await versions().rules(rules({ noncurrentVersionExpiration }));
    expect(await passAsPlanned()).to.deep.equal(Array(4).fill('expire_noncurrent done a'));
    expect(await versions().show(), 'the marker keeps none').to.deep.equal(['a: now, -, 4, 5']);
    expect(await passAsPlanned()).to.deep.equal([]);
  });

  it('removes a delete marker once nothing is behind it', async () => {
    for (const key of ['a', 'b']) {
      await versions().put(key, 'gone soon', { days: 9 });
      await versions().mark(key, 5);
    }
    await versions().put('b', 'here', { days: 4 });
    await versions().mark('b', 2);
    await versions().rules(rules(NONCURRENT, { expiration: { expiredObjectDeleteMarker: true } }));
    expect(await passAsPlanned()).to.deep.equal([
      'expire_noncurrent done a',
      ...Array<string>(3).fill('expire_noncurrent done b'),
    ]);
    expect(await passAsPlanned()).to.deep.equal(['expire_marker done a', 'expire_marker done b']);
    expect(await versions().show()).to.deep.equal([]);
  });

  it('removes a lone delete marker by its age, too', async () => {
    await versions().mark('old', 5);
    await versions().mark('young');
    await versions().rules(rules({ expiration: inDays(3) }));
    expect(await passAsPlanned()).to.deep.equal(['expire_marker done old']);
    expect(await versions().show()).to.deep.equal(['young: -']);
  });

  it('goes by prefix, size and tags of each version', async () => {
    await versions().put('logs/a', 'red', { days: 9, tags: { colour: 'red' } });
    await versions().put('logs/a', 'blue', { days: 8, tags: { colour: 'blue' } });
    await versions().put('logs/a', 'large red', { days: 7, tags: { colour: 'red' } });
    await versions().put('logs/a', 'now', { days: 6 });
    await versions().put('other', 'red', { days: 9, tags: { colour: 'red' } });
    await versions().put('other', 'now', { days: 6 });
    const tags = [{ key: 'colour', value: 'red' }];
    await versions().rules(
      rules({ ...NONCURRENT, filter: { prefix: 'logs/', tags, sizeLessThan: 5, and: true } }),
    );
    expect(await passAsPlanned()).to.deep.equal(['expire_noncurrent done logs/a']);
    expect(await versions().show()).to.deep.equal([
      'logs/a: now, large red, blue',
      'other: now, red',
    ]);
  });

  it('moves current and noncurrent versions to another class, once', async () => {
    await versions().put('a', '1', { days: 9 });
    await versions().put('a', '2', { days: 8 });
    await versions().put('b', 'only', { days: 8 });
    const noncurrentVersionTransitions = [{ noncurrentDays: 1, storageClass: 'GLACIER' }];
    const transitions = [{ when: inDays(1), storageClass: 'GLACIER' }];
    await versions().rules(
      rules({ noncurrentVersionTransitions }, { transitions, filter: { prefix: 'b' } }),
    );
    expect(await passAsPlanned()).to.deep.equal(['transition done a', 'transition done b']);
    expect(await passAsPlanned()).to.deep.equal([]);
    expect(await versions().show()).to.deep.equal(['a: 2, 1', 'b: only']);
    expect(await listedClasses()).to.deep.equal(['STANDARD', 'GLACIER', 'GLACIER']);
    const bucket = { account: ACCOUNT, container: BUCKET };
    const page = await versions().store.listObjects(CALL, bucket, { prefix: 'b', limit: 1 });
    expect(JSON.stringify(page.entries)).to.include('"GLACIER"');
  });

  async function listedClasses(): Promise<(string | undefined)[]> {
    const entries = await listVersions(versions().store);
    return entries.map((entry) => (entry.kind === 'version' ? entry.storageClass : undefined));
  }

  it('tells listings of a transition that died before they did', async () => {
    await versions().put('b', 'only', { days: 8 });
    const transitions = [{ when: inDays(1), storageClass: 'GLACIER' }];
    await versions().rules(rules({ transitions }));
    const dying = new Interposed(versions().store, isPutOfArchive, () => {
      return Promise.reject(new Error('died'));
    });
    await errorOf(versions().pass(dying));
    expect(await listedClasses()).to.deep.equal(['STANDARD']);
    expect(await passAsPlanned()).to.deep.equal(['transition done b']);
    expect(await listedClasses()).to.deep.equal(['GLACIER']);
    expect(await passAsPlanned()).to.deep.equal([]);
  });

  describe('locks', () => {
    const future = Date.now() + 100 * DAY_MS;
    const past = Date.now() - DAY_MS;

    async function lockedVersions(): Promise<void> {
      const systemMetadata = objectLockPatch({ defaultRetention: undefined });
      const bucket = { account: ACCOUNT, container: BUCKET };
      await versions().store.updateContainer(CALL, bucket, { systemMetadata });
      const retained = (mode: RetentionMode, retainUntil: number) =>
        lockMetadata({ mode, retainUntil }, undefined);
      const locks = {
        'legal hold': lockMetadata(undefined, 'ON'),
        'lifted hold': lockMetadata(undefined, 'OFF'),
        governance: retained('GOVERNANCE', future),
        compliance: retained('COMPLIANCE', future),
        'expired governance': retained('GOVERNANCE', past),
        'expired compliance': retained('COMPLIANCE', past),
        damaged: { 's3-object-lock-retention': 'COMPLIANCE;soon' },
      };
      for (const [text, systemMetadata] of Object.entries(locks)) {
        await versions().put('a', text, { days: 9, systemMetadata });
      }
      await versions().put('a', 'current', { days: 5 });
      await versions().rules(rules(NONCURRENT));
    }

    it('keep versions, whatever rules say', async () => {
      await lockedVersions();
      expect(await passAsPlanned()).to.deep.equal([
        ...Array<string>(3).fill('expire_noncurrent done a'),
        'expire_noncurrent failed a',
        ...Array<string>(3).fill('expire_noncurrent locked a'),
      ]);
      const left = 'a: current, damaged, compliance, governance, legal hold';
      expect(await versions().show()).to.deep.equal([left]);
      expect(await passAsPlanned()).to.have.length(4);
      expect(await versions().show()).to.deep.equal([left]);
    });

    it('keep COMPLIANCE versions, expired or not, while the clock is not to be trusted', async () => {
      versions().bench.clockState = 'unhealthy';
      await lockedVersions();
      expect(await passAsPlanned()).to.include.members(['expire_noncurrent locked a']);
      expect(await versions().show()).to.deep.equal([
        'a: current, damaged, expired compliance, compliance, governance, legal hold',
      ]);
    });

    it('that are set while the janitor is at work are seen', async () => {
      const id = await versions().put('a', 'locked late', { days: 9 });
      await versions().put('a', 'gone', { days: 8 });
      await versions().put('a', 'current', { days: 7 });
      await versions().rules(rules(NONCURRENT));
      const isPutOfIndex = (call: BackendCall) =>
        isPutOfArchive(call) && call.ref.object?.endsWith('.json') === true;
      const backend = new Interposed(versions().store, isPutOfIndex, async () => {
        const locked = lockMetadata(undefined, 'ON');
        await gatewayOn(versions().store).touchVersion(CALL, keyOf('a'), id, () => locked);
      });
      expect(await versions().pass(backend)).to.include.members([
        'expire_noncurrent done a',
        'expire_noncurrent locked a',
      ]);
      expect(await versions().show()).to.deep.equal(['a: current, locked late']);
    });
  });

  it('leaves alone what a client has written over meanwhile', async () => {
    await versions().put('a', 'old', { days: 9 });
    await versions().rules(rules({ expiration: inDays(1) }));
    const write = () => versions().put('a', 'new');
    const backend = new Interposed(versions().store, isPutOfArchive, write);
    expect(await versions().pass(backend)).to.include.members(['expire_current changed a']);
    expect(await versions().show()).to.deep.equal(['a: new, old']);
  });

  it('leaves alone a version that has become current meanwhile', async () => {
    await versions().put('a', 'first', { days: 9 });
    const newer = await versions().put('a', 'second', { days: 8 });
    await versions().rules(rules(NONCURRENT));
    const remove = () =>
      gatewayOn(versions().store).deleteVersion(CALL, keyOf('a'), newer, () => undefined);
    const backend = new Interposed(versions().store, isPutOfArchive, remove);
    expect(await versions().pass(backend)).to.include.members(['expire_noncurrent changed a']);
    expect(await versions().show()).to.deep.equal(['a: first']);
  });

  it('repairs a link that lags behind', async () => {
    await versions().put('a', 'current', { days: 1 });
    await versions().put('b', 'current', { days: 1 });
    await versions().store.deleteObject(CALL, { account: ACCOUNT, container: BUCKET, object: 'a' });
    expect(await versions().pass(), 'somebody may be about to').to.deep.equal([]);
    versions().bench.clock.advance(3_600_000);
    expect(await passAsPlanned()).to.deep.equal(['repair_link done a']);
    expect(await versions().bench.keys()).to.deep.equal(['a', 'b']);
    expect(await passAsPlanned()).to.deep.equal([]);
  });
});
