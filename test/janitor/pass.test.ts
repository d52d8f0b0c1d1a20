import { expect } from 'chai';
import { Janitor } from '../../src/janitor/janitor.js';
import { inDays, rules } from '../s3/rules/lifecycle/support.js';
import { useEach } from '../support/fixture.js';
import { until } from '../support/until.js';
import { ACCOUNT, Bench, BUCKET, CALL, DAY_MS, tell, NEVER } from './support.js';

/** By hand: `RINGWAY_JANITOR_OBJECTS=100000`, as the janitor's documentation says. */
const OBJECTS = Number(process.env.RINGWAY_JANITOR_OBJECTS ?? 5_000);

describe('janitor: passes', () => {
  const bench = useEach(() => Bench.open(), 'close');

  it('does what a dry run says, and the dry run nothing', async () => {
    await bench().put('logs/old');
    await bench().put('kept');
    await bench().put('tagged', 'x', { gone: 'soon' });
    await bench().upload('stale', 1, 2);
    await bench().removeMarker('orphan', await bench().upload('orphan', 2, 2));
    await bench().complete('logs/large', await bench().upload('logs/large', 3, 2), 2);
    await bench().complete('large', await bench().upload('large', 4, 2), 2);
    await bench().rules(
      rules(
        { expiration: inDays(1), filter: { prefix: 'logs/' } },
        { expiration: inDays(1), filter: { tags: [{ key: 'gone', value: 'soon' }] } },
        { transitions: [{ when: inDays(1), storageClass: 'GLACIER' }], filter: { prefix: 'k' } },
        { abortDaysAfterInitiation: 1, filter: { prefix: 's' } },
      ),
    );
    bench().clock.advance(2 * DAY_MS);
    const before = [await bench().keys(), await bench().segments()];
    const containers = await bench().store.listContainers(CALL, ACCOUNT, { limit: 10 });
    const planned = (await bench().dryRun()).map((action) => tell(action, 'done')).sort();
    expect([await bench().keys(), await bench().segments()]).to.deep.equal(before);
    expect(await bench().store.listContainers(CALL, ACCOUNT, { limit: 10 })).to.deep.equal(
      containers,
    );

    await bench().janitor().visit(NEVER, 'now');
    expect(bench().told.sort()).to.deep.equal(planned).and.have.length(6);
    expect(await bench().keys()).to.deep.equal(['kept', 'large']);
    expect(await bench().segments()).to.deep.equal(['large/4/1', 'large/4/2']);
    expect(await bench().dryRun()).to.deep.equal([]);
  });

  it('begins when it is time, and only then', async () => {
    const intervalMs = 10_000;
    const janitor = bench().janitor({ intervalMs });
    expect((await janitor.visit(NEVER, 'due')).outcome).to.equal('finished');
    const early = await janitor.visit(NEVER, 'due');
    expect(early.outcome === 'early' && early.waitMs).to.be.within(1, intervalMs);
    const another = bench().janitor({ intervalMs });
    expect((await another.visit(NEVER, 'due')).outcome, 'also of another').to.equal('early');
    expect((await another.visit(NEVER, 'now')).outcome).to.equal('finished');
    bench().clock.advance(intervalMs);
    expect((await janitor.visit(NEVER, 'due')).outcome).to.equal('finished');
  });

  it('does not wait for the time of a clock that was far ahead', async () => {
    const janitor = bench().janitor({ intervalMs: DAY_MS });
    expect((await janitor.visit(NEVER, 'due')).outcome).to.equal('finished');
    bench().clock.setBack(60_000);
    expect((await janitor.visit(NEVER, 'due')).outcome).to.equal('early');
    bench().clock.setBack(2 * DAY_MS);
    expect((await janitor.visit(NEVER, 'due')).outcome).to.equal('finished');
    expect((await janitor.visit(NEVER, 'due')).outcome).to.equal('early');
  });

  it('forgets accounts that are left out while one of them is visited', async () => {
    const ending = new AbortController();
    let visits = 0;
    const nextRequestId = (): string => {
      visits += 1;
      if (visits > 1) return CALL.requestId;
      janitor.replaceAccounts(['AUTH_new']);
      throw new Error('the store fails');
    };
    const parts = { ...bench().parts(), nextRequestId };
    const janitor = new Janitor(parts, [ACCOUNT, 'AUTH_gone']);
    const running = janitor.run(ending.signal);
    await until(() => bench().clock.sleeping === 1);
    expect(visits, 'of the first and the new one').to.equal(2);
    expect(janitor.state).to.deep.equal({ ok: true, detail: 'idle' });
    ending.abort();
    await running;
  });

  it('leaves no trace in an account that is not used', async () => {
    await bench().store.deleteContainer(CALL, { account: ACCOUNT, container: BUCKET });
    expect((await bench().janitor().visit(NEVER, 'now')).outcome).to.equal('early');
    const { containers } = await bench().store.listContainers(CALL, ACCOUNT, { limit: 10 });
    expect(containers).to.deep.equal([]);
  });

  it('is done by one janitor while others wait', async () => {
    await bench().complete('large', await bench().upload('large', 1, 1), 1);
    await bench().rules(rules({ expiration: inDays(1) }));
    bench().clock.advance(2 * DAY_MS);
    const first = bench().janitor({ segmentGraceMs: 1 }).visit(NEVER, 'now');
    await until(() => bench().clock.sleeping === 2);
    expect((await bench().janitor().visit(NEVER, 'due')).outcome).to.equal('busy');
    expect((await bench().janitor().visit(NEVER, 'now')).outcome).to.equal('busy');
    bench().clock.advance(1);
    expect((await first).outcome).to.equal('finished');
    expect((await bench().janitor().visit(NEVER, 'now')).outcome).to.equal('finished');
    expect(bench().told).to.deep.equal(['expire done large']);
  });

  it('stops when the lease is taken from it', async () => {
    await bench().complete('large', await bench().upload('large', 1, 1), 1);
    await bench().rules(rules({ expiration: inDays(1) }));
    bench().clock.advance(2 * DAY_MS);
    const first = bench().janitor({ leaseMs: 900, segmentGraceMs: 10_000 }).visit(NEVER, 'now');
    await until(() => bench().clock.sleeping === 2);
    // As a takeover does, whatever it takes the record for.
    const ref = { account: ACCOUNT, container: '.ringway', object: 'janitor.json' };
    await bench().store.deleteObject(CALL, ref);
    bench().clock.advance(300);
    expect((await first).outcome).to.equal('interrupted');
    expect(String(bench().interruptions)).to.include('LeaseLostError');
    expect(await bench().segments()).to.deep.equal(['large/1/1']);
  });

  it(`holds a page at a time, and goes on where it was stopped, of ${OBJECTS} objects`, async function () {
    this.timeout(60_000 + OBJECTS * 3);
    const keep = await fill(bench(), OBJECTS);
    await bench().rules(
      rules({ expiration: inDays(1), filter: { prefix: 'k', sizeGreaterThan: 1, and: true } }),
    );
    bench().clock.advance(2 * DAY_MS);
    const rssBefore = process.memoryUsage().rss;
    const janitor = bench().janitor();
    const half = new AbortController();
    const stopped = janitor.visit(half.signal, 'now').catch((error: unknown) => error);
    await until(() => bench().told.length >= OBJECTS / 4);
    half.abort(new Error('enough'));
    expect(await stopped).to.have.property('message', 'enough');
    const lookedFirst = bench().looked;
    expect(lookedFirst).to.be.within(1000, OBJECTS - 1000);

    expect((await bench().janitor().visit(NEVER, 'due')).outcome).to.equal('finished');
    expect(await bench().keys()).to.deep.equal(keep);
    // Of the page that was under way, what was left is looked at again; all before it is not.
    expect(bench().looked).to.be.at.most(OBJECTS);
    expect(bench().told.filter((line) => line.startsWith('expire done'))).to.have.length(
      OBJECTS - keep.length,
    );
    const rssMiB = (process.memoryUsage().rss - rssBefore) / 2 ** 20;
    if (OBJECTS > 5_000) console.info(`      RSS grew by ${rssMiB.toFixed(1)} MiB`);
  });
});

/** Every tenth object is too small for the rule. @returns their keys */
async function fill(bench: Bench, count: number): Promise<string[]> {
  const keep: string[] = [];
  for (let i = 0; i < count; i += 500) {
    const keys = Array.from({ length: Math.min(500, count - i) }, (_, k) => i + k);
    await Promise.all(
      keys.map((k) => {
        const key = `k${String(k).padStart(7, '0')}`;
        if (k % 10 === 0) keep.push(key);
        return bench.put(key, k % 10 === 0 ? 'x' : 'xyz');
      }),
    );
  }
  return keep.sort();
}
