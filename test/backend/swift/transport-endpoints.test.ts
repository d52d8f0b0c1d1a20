import { expect } from 'chai';
import { cancelledBy } from '../../../src/lib/cancellation.js';
import type { Endpoint } from '../../../src/backend/swift/net/endpoint.js';
import { EndpointHealth } from '../../../src/backend/swift/net/endpoint-health.js';
import { RunningAttempts } from '../../../src/backend/swift/net/running-attempt.js';
import { Endpoints } from '../../../src/backend/swift/net/endpoints.js';
import { codeOf, failureOf } from '../../support/failure.js';
import { until } from '../../support/until.js';
import { answer, hang, type SeenRequest } from './support/fake-swift.js';
import { CONTEXT, useFakes } from './support/open-fake.js';

describe('Swift transport: several endpoints', () => {
  const open = useFakes();

  it('gives each the same', async () => {
    const fixture = await open(3);
    await Promise.all(Array.from({ length: 30 }, () => fixture.get()));
    expect(fixture.fakes.map(({ seen }) => seen.length)).to.deep.equal([10, 10, 10]);
  });

  it('prefers the one that has the least to do', async () => {
    const fixture = await open(2);
    const [slow, quick] = fixture.fakes as [typeof fixture.fake, typeof fixture.fake];
    const held: SeenRequest[] = [];
    slow.steps = [(request) => void held.push(request)];
    const pending: Promise<unknown>[] = [];
    while (held.length === 0) {
      const { length } = quick.seen;
      pending.push(fixture.get());
      await until(() => held.length === 1 || quick.seen.length > length);
    }
    await until(() => fixture.transport.load().active === 1);
    const before = quick.seen.length;
    for (let i = 0; i < 10; i++) (await fixture.get()).cancel();
    expect(quick.seen.length).to.equal(before + 10);
    held[0]!.response.end();
    await Promise.all(pending);
  });

  it('does without one that is down, and no request sees it', async () => {
    const fixture = await open(2, { ejectMs: 60_000, ejectMsMax: 60_000 });
    await fixture.fakes[1]!.stop();
    for (let i = 0; i < 30; i++) {
      const response = await fixture.get({ method: 'PUT', container: 'c' });
      expect(response.status).to.equal(200);
      response.cancel();
    }
    // It was asked until it was ejected, and not again.
    expect(fixture.retries).to.deep.equal(['connect', 'connect', 'connect']);
    expect(fixture.changes).to.deep.equal([false]);
  });

  it('sends a read that one answers with 503 to the other', async () => {
    const fixture = await open(2);
    fixture.fakes[0]!.steps = [answer(503)];
    for (let i = 0; i < 10; i++) expect((await fixture.get()).status).to.equal(200);
    expect(fixture.fakes[0]!.seen).to.have.length(3);
  });

  it('sends a read that one does not answer in time to the other, once', async () => {
    const fixture = await open(2);
    fixture.fakes[0]!.steps = [hang];
    // Enough for the one that answers, on a busy machine as well.
    const request = { headersTimeoutMs: 1000 };
    while (fixture.retries.length === 0) {
      expect((await fixture.get(request)).status).to.equal(200);
    }
    expect(fixture.retries).to.deep.equal(['timeout']);
    fixture.fakes[1]!.steps = [hang];
    expect(await codeOf(fixture.get({ headersTimeoutMs: 100 }))).to.equal('Timeout');
  });

  it('asks after an ejected one, and takes it back', async () => {
    const fixture = await open(2, { ejectMs: 20, ejectMsMax: 40 });
    const dead = fixture.fakes[1]!;
    await dead.stop();
    while (fixture.changes.length === 0) (await fixture.get()).cancel();
    await dead.start();
    await until(() => fixture.changes.length === 2);
    expect(fixture.changes).to.deep.equal([false, true]);
    expect(dead.probes).to.be.greaterThan(0);
    await Promise.all(Array.from({ length: 10 }, () => fixture.get()));
    expect(dead.seen.length).to.be.greaterThan(0);
  });

  it('leaves one out that was taken out of service by its health check', async () => {
    const fixture = await open(2, { ejectMs: 10, ejectMsMax: 10 });
    const ill = fixture.fakes[1]!;
    ill.steps = [answer(503)];
    ill.health = answer(503, 'DISABLED BY FILE');
    while (fixture.changes.length === 0) (await fixture.get()).cancel();
    const { probes } = ill;
    await until(() => ill.probes > probes + 2);
    expect(fixture.changes).to.deep.equal([false]);
    ill.health = answer(404);
    ill.steps = [answer(200)];
    await until(() => fixture.changes.length === 2);
  });

  it('trusts one that is back no further than its first answer', async () => {
    const fixture = await open(2, { ejectMs: 10, ejectMsMax: 10 });
    const ill = fixture.fakes[1]!;
    ill.steps = [answer(503)];
    while (fixture.changes.length === 0) (await fixture.get()).cancel();
    const { length } = ill.seen;
    expect(length).to.equal(3);
    // Its health check is well, so that it is tried again and again, but only once each time.
    while (fixture.changes.length < 7) (await fixture.get()).cancel();
    const ejections = fixture.changes.filter((well) => !well).length;
    expect(ill.seen.length).to.equal(length + ejections - 1);
  });

  it('tries the one that was ejected longest ago when all are', async () => {
    const fixture = await open(2, { ejectMs: 60_000, ejectMsMax: 60_000 });
    (await fixture.get()).cancel();
    await Promise.all(fixture.fakes.map((fake) => fake.stop()));
    for (let i = 0; i < 4; i++) await failureOf(fixture.get());
    expect(fixture.changes).to.deep.equal([false, false]);
    await Promise.all(fixture.fakes.map((fake) => fake.start()));
    expect((await fixture.get()).status).to.equal(200);
    expect(fixture.changes).to.deep.equal([false, false, true]);
  });

  it('lets a bounded number wait for a connection', async () => {
    const fixture = await open(1, { connectionsMax: 2, queueMax: 1 });
    (await fixture.get()).cancel();
    const held: SeenRequest[] = [];
    fixture.fake.steps = [(request) => void held.push(request)];
    const pending = [fixture.get(), fixture.get(), fixture.get()];
    await until(() => fixture.transport.load().waiting === 1);
    expect(fixture.transport.load().active).to.equal(2);
    expect(await codeOf(fixture.get())).to.equal('Unavailable');
    for (let i = 0; i < 3; i++) {
      await until(() => held.length > i);
      held[i]!.response.end();
    }
    for (const response of await Promise.all(pending)) await response.text(10);
    expect(fixture.transport.load()).to.include({ active: 0, waiting: 0 });
  });

  it('waits for a connection only so long', async () => {
    const fixture = await open(1, { connectionsMax: 1, queueTimeoutMs: 30 });
    (await fixture.get()).cancel();
    const held: SeenRequest[] = [];
    fixture.fake.steps = [(request) => void held.push(request)];
    const pending = fixture.get();
    expect(await codeOf(fixture.get())).to.equal('Unavailable');
    expect(fixture.transport.load()).to.include({ active: 1, waiting: 0 });
    await until(() => held.length === 1);
    held[0]!.response.end();
    await (await pending).text(10);
  });

  it('holds a connection until its body is over', async () => {
    const fixture = await open(1, { connectionsMax: 1 });
    fixture.fake.steps = [answer(200, Buffer.alloc(1024 * 1024))];
    const first = await fixture.get();
    const second = fixture.get();
    await new Promise(setImmediate);
    expect(fixture.transport.load()).to.include({ active: 1, waiting: 1 });
    first.cancel();
    (await second).cancel();
    expect(fixture.transport.load()).to.include({ active: 0, waiting: 0 });
  });

  it('answers ping from any that is well', async () => {
    const fixture = await open(2);
    await fixture.fakes[0]!.stop();
    for (let i = 0; i < 4; i++) await fixture.transport.ping(CONTEXT);
    await fixture.fakes[1]!.stop();
    expect(await codeOf(fixture.transport.ping(CONTEXT))).to.equal('Unavailable');
  });
});

describe('Swift endpoints: waiting requests', () => {
  const LIMITS = { connectionsMax: 1, queueMax: 10, queueTimeoutMs: 60_000 };
  const HEALTH = { ejectAfter: 3, ejectMs: 1000, ejectMsMax: 1000 };

  it('gives back what it was given in the moment in which it went away', async () => {
    const running = new RunningAttempts();
    const health = new EndpointHealth(HEALTH);
    const endpoint = { health, running, inFlight: 0 } as unknown as Endpoint;
    const endpoints = new Endpoints([endpoint], LIMITS);
    expect(endpoints.acquire([], undefined)).to.equal(endpoint);
    const controller = new AbortController();
    const cancellation = cancelledBy(controller.signal);
    const waits = endpoints.acquire([], { ...CONTEXT, cancellation });
    const reason = new Error('the client went away');
    controller.abort(reason);
    endpoints.release(endpoint);
    expect(await failureOf(Promise.resolve(waits))).to.equal(reason);
    expect([endpoint.inFlight, endpoints.waiting]).to.deep.equal([0, 0]);
    expect(endpoints.acquire([], undefined)).to.equal(endpoint);
  });
});
