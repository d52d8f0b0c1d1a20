import { expect } from 'chai';
import { LeaseLostError, Lease } from '../../src/janitor/lease.js';
import { RecordStore, RESERVED_CONTAINER } from '../../src/janitor/record-store.js';
import { ACCOUNT, Bench, CALL, FakeClock } from './support.js';

const LEASE_MS = 1000;

describe('janitor: lease', () => {
  let bench: Bench;
  let store: RecordStore;
  let clock: FakeClock;

  beforeEach(async () => {
    bench = await Bench.open();
    store = new RecordStore(bench.store, ACCOUNT);
    clock = new FakeClock();
  });

  afterEach(() => bench.close());

  function lease(holder: string, own = clock): Lease {
    return new Lease(store, holder, LEASE_MS, own);
  }

  it('is had by exactly one of many who want it at once', async () => {
    const leases = Array.from({ length: 8 }, (_, i) => lease(String(i)));
    const outcomes = await Promise.all(leases.map((one) => one.acquire(CALL)));
    expect(outcomes.filter(({ outcome }) => outcome === 'held')).to.have.length(1);
    expect(leases.filter(({ held }) => held)).to.have.length(1);
  });

  it('is refused while it is renewed, and had at once when it was released', async () => {
    const [a, b] = [lease('a'), lease('b')];
    await a.acquire(CALL);
    expect(await b.acquire(CALL)).to.deep.equal({ outcome: 'busy', waitMs: LEASE_MS });
    for (let i = 0; i < 5; i++) {
      clock.advance(LEASE_MS / 2);
      await a.renew(CALL, { cursor: { container: 'c', marker: String(i) } });
      expect((await b.acquire(CALL)).outcome).to.equal('busy');
    }
    expect(a.held).to.equal(true);
    await a.release(CALL, { finished_at: 7 });
    expect(a.held).to.equal(false);
    const taken = await b.acquire(CALL);
    expect(taken.outcome === 'held' && taken.record).to.deep.include({
      cursor: { container: 'c', marker: '4' },
      finished_at: 7,
    });
  });

  it('is taken over when it was not renewed, as the watcher counts, and is lost then', async () => {
    // Clocks that have nothing to do with each other.
    const [theirs, ours] = [new FakeClock(), new FakeClock()];
    ours.advance(1e9);
    const [a, b] = [lease('a', theirs), lease('b', ours)];
    await a.acquire(CALL);
    expect((await b.acquire(CALL)).outcome).to.equal('busy');
    ours.advance(LEASE_MS - 1);
    expect(await b.acquire(CALL)).to.deep.equal({ outcome: 'busy', waitMs: 1 });
    ours.advance(1);
    expect((await b.acquire(CALL)).outcome).to.equal('held');

    const failed = await a.renew(CALL, {}).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(LeaseLostError);
    expect(() => {
      a.assertHeld();
    }).to.throw(LeaseLostError);
    await a.release(CALL, { finished_at: 1 });
    b.assertHeld();
    await b.renew(CALL, {});
  });

  it('ends for its holder without a word when it could not be renewed in time', async () => {
    const a = lease('a');
    await a.acquire(CALL);
    clock.advance(LEASE_MS);
    expect(() => {
      a.assertHeld();
    }).to.throw(LeaseLostError);
  });

  it('is had where the record is damaged', async () => {
    await bench.store.createContainer(
      CALL,
      { account: ACCOUNT, container: RESERVED_CONTAINER },
      {},
    );
    const ref = { account: ACCOUNT, container: RESERVED_CONTAINER, object: 'janitor.json' };
    for (const text of ['', '{', '[]', '{"holder":1}']) {
      const input = { size: text.length, contentType: 'text/plain', body: Buffer.from(text) };
      await bench.store.putObject(CALL, ref, input);
      expect((await lease('a').acquire(CALL)).outcome, text).to.equal('held');
    }
  });
});
