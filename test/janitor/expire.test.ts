import { expect } from 'chai';
import type { BackendCall } from '../../src/backend/decorators/decorated-backend.js';
import { SYSTEM_METADATA } from '../../src/s3/object/attributes.js';
import { inDays, rules } from '../s3/rules/lifecycle/support.js';
import { useEach } from '../support/fixture.js';
import { ACCOUNT, Bench, BUCKET, CALL, DAY_MS, NEVER, Interposed } from './support.js';

const isDeletion = ({ method, ref }: BackendCall) =>
  method === 'deleteObject' && ref.object === 'raced';

describe('janitor: expiration', () => {
  const bench = useEach(() => Bench.open(), 'close');

  it('deletes what rules are due for, and nothing else', async () => {
    await onOneDay(bench(), async () => {
      for (const key of ['logs/a', 'logs/b', 'logsx', 'big', 'small', 'Logs/a']) {
        await bench().put(key, key === 'big' ? 'x'.repeat(100) : 'x');
      }
      await bench().put('tagged', 'x', { keep: 'no', colour: 'red' });
      await bench().put('tagged-else', 'x', { keep: 'yes' });
    });
    await bench().rules(
      rules(
        { expiration: inDays(1), filter: { prefix: 'logs/' } },
        { expiration: inDays(2), filter: { sizeGreaterThan: 50 } },
        { expiration: inDays(3), filter: { tags: [{ key: 'keep', value: 'no' }] } },
        { expiration: inDays(1), enabled: false },
      ),
    );
    const left: Record<number, string[]> = {};
    for (const day of [1, 2, 3, 5]) {
      bench().clock.advance((day === 5 ? 2 : 1) * DAY_MS);
      expect((await bench().janitor().visit(NEVER, 'now')).outcome).to.equal('finished');
      left[day] = await bench().keys();
    }
    const always = ['Logs/a', 'logsx', 'small', 'tagged-else'];
    expect(left).to.deep.equal({
      1: [...always, 'big', 'logs/a', 'logs/b', 'tagged'].sort(),
      2: [...always, 'big', 'tagged'].sort(),
      3: [...always, 'tagged'].sort(),
      5: always,
    });
    expect(bench().told.sort()).to.deep.equal([
      'expire done big',
      'expire done logs/a',
      'expire done logs/b',
      'expire done tagged',
    ]);
  });

  it('goes on behind links of other clients, and by nothing that they lead to', async () => {
    const elsewhere = { account: ACCOUNT, container: 'elsewhere' };
    await bench().store.createContainer(CALL, elsewhere, {});
    const link = async (object: string, target: string) => {
      const to = { container: elsewhere.container, object: target };
      const described = { size: 0, etag: 'link', contentType: 'a/b' };
      await bench().store.putLink(CALL, { ...ref(), object }, { target: to, ...described });
    };
    const tagged = { size: 1, body: Buffer.from('x'), contentType: 'a/b' };
    const systemMetadata = { [SYSTEM_METADATA.tagging]: 'keep=no' };
    const target = { ...elsewhere, object: 'tagged' };
    await bench().store.putObject(CALL, target, { ...tagged, systemMetadata });
    await link('closed', 'tagged');
    await link('broken', 'nothing');
    await bench().put('tagged', 'x', { keep: 'no' });
    const filter = { tags: [{ key: 'keep', value: 'no' }] };
    await bench().rules(rules({ expiration: inDays(1), filter }));
    bench().clock.advance(2 * DAY_MS);
    expect((await bench().janitor().visit(NEVER, 'now')).outcome).to.equal('finished');
    expect(bench().told).to.deep.equal(['expire done tagged']);
    expect(await bench().keys()).to.deep.equal(['broken', 'closed']);
  });

  it('goes by a date that has passed, whatever the age', async () => {
    await bench().put('new');
    await bench().rules(rules({ expiration: { date: Date.UTC(2020, 0, 1) } }));
    await bench().janitor().visit(NEVER, 'now');
    expect(await bench().keys()).to.deep.equal([]);
  });

  it('lists only below the prefixes of its rules', async () => {
    for (const key of ['a/1', 'a/2', 'b/1', 'c/1', 'c/2']) await bench().put(key);
    await bench().rules(
      rules(
        { expiration: inDays(9), filter: { prefix: 'c/' } },
        { expiration: inDays(9), filter: { prefix: 'a/' } },
        { expiration: inDays(9), filter: { prefix: 'a/2' } },
      ),
    );
    await bench().janitor().visit(NEVER, 'now');
    expect(bench().looked).to.equal(4);
  });

  for (const [how, body] of [
    ['other bytes', 'other'],
    ['the same bytes', 'body'],
  ] as const) {
    it(`leaves alone what was written again with ${how} after it was listed`, async () => {
      await bench().put('raced');
      await bench().put('still');
      await bench().rules(rules({ expiration: inDays(1) }));
      const [listed] = (await bench().store.listObjects(CALL, ref(), { limit: 1 })).entries;
      if (listed?.kind !== 'object') throw new Error('nothing is listed');
      bench().clock.advance(2 * DAY_MS);
      const racing = new Interposed(bench().store, isDeletion, async () => {
        while (Date.now() <= listed.object.lastModified) await Promise.resolve();
        await bench().put('raced', body);
      });
      await bench().janitor({}, racing).visit(NEVER, 'now');
      expect(await bench().keys()).to.deep.equal(['raced']);
      expect(bench().told.sort()).to.deep.equal(['expire changed raced', 'expire done still']);
    });
  }

  it('takes what another client deleted for gone', async () => {
    await bench().put('raced');
    await bench().rules(rules({ expiration: inDays(1) }));
    bench().clock.advance(2 * DAY_MS);
    const racing = new Interposed(bench().store, isDeletion, () =>
      bench().store.deleteObject(CALL, { ...ref(), object: 'raced' }),
    );
    await bench().janitor({}, racing).visit(NEVER, 'now');
    expect(bench().told).to.deep.equal(['expire gone raced']);
  });

  it('moves objects to a class that is not cold by its name alone', async () => {
    await bench().put('warm');
    await bench().rules(rules({ transitions: [{ when: inDays(1), storageClass: 'GLACIER' }] }));
    bench().clock.advance(2 * DAY_MS);
    for (let pass = 0; pass < 2; pass++) await bench().janitor().visit(NEVER, 'now');
    expect(await bench().keys()).to.deep.equal(['warm']);
    expect(bench().told, 'once').to.deep.equal(['transition done warm']);
    const { systemMetadata } = await bench().store.headObject(CALL, { ...ref(), object: 'warm' });
    expect(systemMetadata).to.deep.equal({ 's3-storage-class': 'GLACIER' });
  });

  it('goes on behind a bucket whose rules cannot be read', async () => {
    await bench().store.createContainer(CALL, { account: ACCOUNT, container: 'aaa-damaged' }, {});
    const damaged = { systemMetadata: { 's3-lifecycle': 'damaged' } };
    await bench().store.updateContainer(CALL, { ...ref(), container: 'aaa-damaged' }, damaged);
    await bench().put('old');
    await bench().rules(rules({ expiration: inDays(1) }));
    bench().clock.advance(2 * DAY_MS);
    expect((await bench().janitor().visit(NEVER, 'now')).outcome).to.equal('finished');
    expect(bench().unreadable).to.deep.equal(['aaa-damaged']);
    expect(await bench().keys()).to.deep.equal([]);
  });

  function ref() {
    return { account: ACCOUNT, container: BUCKET };
  }
});

/**
 * Rules count from midnight to midnight, and the store goes by the real clock: does something again
 * when a day has ended meanwhile. It is noon of that day when this is over.
 */
async function onOneDay(bench: Bench, task: () => Promise<void>): Promise<void> {
  const today = (): number => Math.floor(Date.now() / DAY_MS);
  let day: number;
  do {
    day = today();
    await task();
  } while (today() !== day);
  bench.clock.advance((day + 0.5) * DAY_MS - bench.clock.now());
}
