import { expect } from 'chai';
import { codeOf, failureOf } from '../../support/failure.js';
import { until } from '../../support/until.js';
import { answer, hang, type FakeSwift, type SeenRequest } from './support/fake-swift.js';
import { useFakes, type Fixture } from './support/open-fake.js';

/** Rare probes of endpoints that are idle, quick ones of those that stand still. */
const OPTIONS = { headersTimeoutMs: 30_000, probeMs: 60_000, probeTimeoutMs: 50, ejectMs: 60_000 };

const PUT = { method: 'PUT', container: 'c', object: 'o', body: Buffer.from('abc') } as const;

/** A proxy that takes connections and requests, and never answers: as after SIGSTOP. */
describe('Swift transport: a proxy that hangs', function () {
  this.timeout(20_000);

  const openAll = useFakes();
  let fixture: Fixture;
  let hung: FakeSwift;
  let well: FakeSwift;

  async function open(options: Parameters<typeof openAll>[1] = {}): Promise<void> {
    fixture = await openAll(2, { ...OPTIONS, ...options });
    [hung, well] = fixture.fakes as [FakeSwift, FakeSwift];
    // The login, and the latencies of some reads.
    for (let i = 0; i < 40; i++) (await fixture.get()).cancel();
    for (const fake of fixture.fakes) fake.seen.length = 0;
    // A read on a busy machine may have been late enough for a hedge.
    fixture.hedges.length = 0;
    hung.steps = [hang];
  }

  function hangAll(): void {
    hung.health = hang;
  }

  it('costs a read little: another proxy is asked meanwhile', async () => {
    await open();
    for (let i = 0; i < 6; i++) expect((await fixture.get()).status).to.equal(200);
    expect(hung.seen).not.to.have.length(0);
    expect(fixture.hedges).to.include(true);
    expect(fixture.retries).to.deep.equal([]);
    // Requests that were not needed are given up, and keep no connection.
    await until(() => fixture.transport.load().active === 0);
    // More than were seen: some are given up before they arrive.
    const givenUp = fixture.attempts.filter(({ error }) => error === 'abort');
    expect(givenUp.length).to.be.at.least(hung.seen.length);
    expect(fixture.changes).to.deep.equal([]);
  });

  it('takes the second proxy’s answer only when the first has none', async () => {
    await open();
    const held: SeenRequest[] = [];
    for (const fake of fixture.fakes) fake.steps = [(request) => void held.push(request)];
    const pending = fixture.get();
    await until(() => held.length === 2);
    await answer(200, 'first')(held[0]!);
    expect(await (await pending).text(10)).to.equal('first');
    expect(fixture.hedges).to.deep.equal([false]);
  });

  it('waits for the other where one is busy', async () => {
    await open();
    const held: SeenRequest[] = [];
    for (const fake of fixture.fakes) fake.steps = [(request) => void held.push(request)];
    const pending = fixture.get();
    await until(() => held.length === 2);
    await answer(503)(held[0]!);
    await until(() => fixture.attempts.at(-1)?.status === 503);
    await answer(200, 'second')(held[1]!);
    expect(await (await pending).text(10)).to.equal('second');
  });

  it('is asked twice for a bounded share of reads, and never for a write', async () => {
    await open({ hedgeShare: 0.1 });
    for (const fake of fixture.fakes) fake.steps = [hang];
    const reads = Array.from({ length: 60 }, () => failureOf(fixture.get()));
    const write = failureOf(fixture.get(PUT));
    const seen = (): SeenRequest[] => fixture.fakes.flatMap((fake) => fake.seen);
    // The burst that is saved up, and what these reads have earned.
    await until(() => seen().length >= 61 + 20);
    await until(() => fixture.transport.load().active === seen().length);
    expect(seen().length - 61).to.be.within(20, 26);
    expect(seen().filter(({ method }) => method === 'PUT')).to.have.length(1);
    for (const fake of fixture.fakes) await fake.stop();
    await Promise.all([...reads, write]);
  });

  it('sends no read twice where that is switched off', async () => {
    await open({ hedgeShare: 0 });
    while (fixture.retries.length === 0) {
      expect((await fixture.get({ headersTimeoutMs: 1000 })).status).to.equal(200);
    }
    expect(fixture.hedges).to.deep.equal([]);
    expect(fixture.retries).to.deep.equal(['timeout']);
  });

  it('is left out when it does not answer its health check either', async () => {
    await open();
    hangAll();
    while (hung.seen.length === 0) (await fixture.get()).cancel();
    await until(() => fixture.changes.length > 0);
    expect(fixture.changes).to.deep.equal([false]);
    expect(fixture.reasons[0]).to.include('it stands still');
    const { length } = hung.seen;
    for (let i = 0; i < 10; i++) (await fixture.get()).cancel();
    expect(hung.seen).to.have.length(length);
  });

  it('is found without a request, by its health check', async () => {
    await open({ probeMs: 1 });
    hangAll();
    await until(() => fixture.changes.length > 0);
    expect(hung.seen).to.have.length(0);
    hung.health = answer(200);
    expect(fixture.changes).to.deep.equal([false]);
  });

  it('gives back what can be sent elsewhere, and keeps what may have been done', async () => {
    await open();
    hangAll();
    const headers = { 'x-gateway-not-newer': '1.00000' };
    const placed = Array.from({ length: 4 }, () =>
      fixture.get({ ...PUT, headers, repeatable: true }),
    );
    // The proxy would act on it when it wakes up, and replace what was written since.
    const late = Array.from({ length: 4 }, () =>
      fixture.get({ ...PUT, object: 'late', repeatable: true }),
    );
    const once = Array.from({ length: 4 }, () => fixture.get({ ...PUT, object: 'once' }));
    const streams = Array.from({ length: 4 }, () =>
      fixture.get({ ...PUT, object: 'stream', body: { source: bytes('abc'), size: 3 } }),
    );
    for (const response of await Promise.all([...placed, ...streams])) {
      expect(response.status).to.equal(200);
    }
    expect(fixture.retries).to.include('hung');
    expect(new Set(fixture.retries)).to.deep.equal(new Set(['hung']));
    const kept = hung.seen.filter(({ url }) => /\/(?:once|late)$/.test(url));
    expect(kept).to.have.length(4);
    expect(fixture.transport.load().active).to.equal(4);
    for (const { response } of kept) response.writeHead(201, { 'content-length': 0 }).end();
    await Promise.all([...late, ...once]);
  });

  it('gets no more while it stands still and another one moves', async () => {
    await open({ probeTimeoutMs: 20_000 });
    hangAll();
    const held = [fixture.get({ ...PUT, object: 'once' })];
    while (hung.seen.length === 0) {
      const next = fixture.get(PUT);
      held.push(next);
      // One that the hung proxy has would be answered at the end alone.
      await Promise.race([next, until(() => hung.seen.length > 0)]);
    }
    const { probes } = hung;
    // The watch has noticed when it asks.
    await until(() => hung.probes > probes);
    const { length } = hung.seen;
    for (let i = 0; i < 10; i++) (await fixture.get()).cancel();
    expect(hung.seen).to.have.length(length);
    for (const { response } of hung.seen) response.writeHead(201, { 'content-length': 0 }).end();
    for (const pending of held) (await pending).cancel();
  });

  it('fails requests in time when all hang, and says so', async () => {
    await open();
    hangAll();
    Object.assign(well, { steps: [hang], health: hang });
    const inTime = { headersTimeoutMs: 400 };
    expect(await codeOf(fixture.get({ ...PUT, ...inTime }))).to.equal('Timeout');
    expect(await codeOf(fixture.get(inTime))).to.equal('Timeout');
    expect(await codeOf(fixture.transport.ping({ requestId: 'probe' }))).to.equal('Timeout');
  });

  it('is not waited for longer when it is asked for its filter first', async () => {
    await open({ filterSecret: 'secret', headersTimeoutMs: 1000 });
    const info = JSON.stringify({ swift: { version: '2.30.1' }, ringway: { version: 1 } });
    for (const fake of fixture.fakes) fake.steps = [answer(200, info)];
    await fixture.transport.info();
    hangAll();
    for (const fake of fixture.fakes) fake.steps = [hang];
    // Both have been out of reach then, and are looked at before they are used again.
    await failureOf(fixture.get());
    const error = (await failureOf(fixture.get())) as Error;
    expect(error.message).to.match(/did not answer.* did not answer.* no answer within 1000 ms$/);
  });
});

async function* bytes(text: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(text));
}
