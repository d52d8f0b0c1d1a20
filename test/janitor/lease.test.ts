import { expect } from 'chai';
import type {
  Backend,
  CallContext,
  ContainerRef,
  ObjectPage,
  ObjectQuery,
} from '../../src/backend/backend.js';
import { DecoratedBackend } from '../../src/backend/decorators/decorated-backend.js';
import { LeaseLostError, Lease } from '../../src/janitor/lease.js';
import {
  NEW_RECORD,
  ChainedRecord,
  ReplacedRecord,
  RESERVED_CONTAINER,
  type RecordStore,
} from '../../src/janitor/record-store.js';
import { useEach } from '../support/fixture.js';
import { ACCOUNT, Bench, CALL, FakeClock } from './support.js';

const LEASE_MS = 1000;

/** Each with the object that its first record lies in. */
const STORES = [
  { name: 'replaced', Store: ReplacedRecord, first: 'janitor.json' },
  { name: 'chained', Store: ChainedRecord, first: 'janitor.g000000000001' },
] as const;

for (const { name, Store, first } of STORES)
  describe(`janitor: lease, ${name}`, () => {
    const bench = useEach(() => Bench.open(), 'close');
    const store = useEach<RecordStore>(() => new Store(bench().store, ACCOUNT));
    const clock = useEach(() => new FakeClock());

    function lease(holder: string, own = clock()): Lease {
      return new Lease(store(), holder, LEASE_MS, own);
    }

    it('is had by exactly one of many janitors that want it at once', async () => {
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
        clock().advance(LEASE_MS / 2);
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

    it('counts from before it was written, since others may have seen it at once', async () => {
      const slow: RecordStore = {
        read: store().read.bind(store()),
        async write(...args) {
          const etag = await store().write(...args);
          clock().advance(LEASE_MS / 2);
          return etag;
        },
      };
      const a = new Lease(slow, 'a', LEASE_MS, clock());
      await a.acquire(CALL);
      clock().advance(LEASE_MS / 2 - 1);
      expect(a.held).to.equal(true);
      clock().advance(1);
      expect(a.held).to.equal(false);
    });

    it('lasts as long as its holder says, not as long as that of the watcher', async () => {
      const short = new Lease(store(), 'b', LEASE_MS / 10, clock());
      await lease('a').acquire(CALL);
      expect(await short.acquire(CALL)).to.deep.equal({ outcome: 'busy', waitMs: LEASE_MS });
      clock().advance(LEASE_MS - 1);
      expect((await short.acquire(CALL)).outcome).to.equal('busy');
      clock().advance(1);
      expect((await short.acquire(CALL)).outcome).to.equal('held');
    });

    it('ends for its holder without a word when it could not be renewed in time', async () => {
      const a = lease('a');
      await a.acquire(CALL);
      clock().advance(LEASE_MS);
      expect(() => {
        a.assertHeld();
      }).to.throw(LeaseLostError);
    });

    for (const text of ['', '{', '[]', '{"holder":1}']) {
      it(`is had where the record is damaged: ${text}`, async () => {
        const container = { account: ACCOUNT, container: RESERVED_CONTAINER };
        await bench().store.createContainer(CALL, container, {});
        const input = { size: text.length, contentType: 'text/plain', body: Buffer.from(text) };
        await bench().store.putObject(CALL, { ...container, object: first }, input);
        expect((await lease('a').acquire(CALL)).outcome).to.equal('held');
      });
    }
  });

describe('janitor: record, chained', () => {
  const bench = useEach(() => Bench.open(), 'close');

  async function names(): Promise<string[]> {
    const container = { account: ACCOUNT, container: RESERVED_CONTAINER };
    const { entries } = await bench().store.listObjects(CALL, container, { limit: 1000 });
    return entries.map((entry) => (entry.kind === 'object' ? entry.object.name : entry.prefix));
  }

  it('keeps a bounded number of records, and reads the last', async () => {
    const store = new ChainedRecord(bench().store, ACCOUNT);
    let etag: string | undefined;
    for (let sequence = 1; sequence <= 40; sequence++) {
      etag = await store.write(CALL, { ...NEW_RECORD, sequence }, etag);
    }
    expect(await names()).to.have.length(16);
    expect(await store.read(CALL)).to.deep.include({ etag: '40' });
    expect((await store.read(CALL)).record?.sequence).to.equal(40);
  });

  it('finds the end of the chain behind a listing that lags', async () => {
    const store = new ChainedRecord(bench().store, ACCOUNT);
    let etag: string | undefined;
    for (const sequence of [1, 2, 3]) {
      etag = await store.write(CALL, { ...NEW_RECORD, sequence }, etag);
    }
    const lagging = new LaggingListing(bench().store, 1);
    expect((await new ChainedRecord(lagging, ACCOUNT).read(CALL)).record?.sequence).to.equal(3);
  });

  it('is not written by a janitor that has seen an older one', async () => {
    const store = new ChainedRecord(bench().store, ACCOUNT);
    const first = await store.write(CALL, NEW_RECORD, undefined);
    await store.write(CALL, NEW_RECORD, first);
    expect(await store.write(CALL, NEW_RECORD, first)).to.equal(undefined);
    expect(await store.write(CALL, NEW_RECORD, undefined)).to.equal(undefined);
  });
});

/** Shows the first objects only. */
class LaggingListing extends DecoratedBackend {
  constructor(
    inner: Backend,
    private readonly shown: number,
  ) {
    super(inner);
  }

  override async listObjects(
    context: CallContext,
    ref: ContainerRef,
    query: ObjectQuery,
  ): Promise<ObjectPage> {
    const { entries } = await super.listObjects(context, ref, query);
    return { entries: entries.slice(0, this.shown), truncated: false };
  }
}
