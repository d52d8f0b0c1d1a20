import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { Admission, type RejectReason } from '../../../src/s3/request/admission.js';
import { S3Error } from '../../../src/s3/errors.js';
import { failureOf } from '../../support/failure.js';
import { Gateway } from '../retries/gateway.js';

const MIB = 1024 * 1024;

describe('s3: admission', () => {
  let rejected: RejectReason[];
  let waits: number;

  function admission(options: Partial<ConstructorParameters<typeof Admission>[0]> = {}): Admission {
    rejected = [];
    waits = 0;
    return new Admission(
      {
        inFlightMax: 4,
        bodyBytesMax: 2 * MIB,
        queueMax: 0,
        waitMsMax: 60_000,
        ratePerS: 0,
        rateBurst: 1,
        ...options,
      },
      { rejected: (reason) => rejected.push(reason), waited: () => void waits++ },
    );
  }

  function refusal(entering: Promise<void> | undefined): Promise<S3Error> {
    return failureOf(Promise.resolve(entering), S3Error);
  }

  it('counts operations by weight', async () => {
    const door = admission();
    const [first, second] = [door.ticket(), door.ticket()];
    expect(first.enter(4, 0)).to.equal(undefined);
    const error = await refusal(second.enter(1, 0));
    expect(error.code).to.equal('SlowDown');
    expect(error.headers).to.deep.equal([['Retry-After', '1']]);
    expect(rejected).to.deep.equal(['queue_full']);
    second.leave();
    first.leave();
    expect(door.requests.used).to.equal(0);
    expect(door.ticket().enter(1, 0)).to.equal(undefined);
  });

  for (const [line, copied, weight] of [
    ['PUT /bucket/key', {}, 1],
    ['PUT /bucket/key', { 'x-amz-copy-source': '/bucket/source' }, 4],
    ['GET /bucket', {}, 4],
  ] as const) {
    it(`weighs ${line} ${JSON.stringify(copied)} as ${weight}`, async () => {
      let held: number | undefined;
      const missing = (): Promise<never> => {
        held ??= gateway.admission.requests.used;
        return Promise.reject(new BackendError('NoSuchContainer', 'not there'));
      };
      const capabilities = { systemMetadata: true };
      const get = (_: unknown, name: string | symbol) =>
        name === 'capabilities' ? capabilities : missing;
      const store = new Proxy({}, { get });
      const gateway = new Gateway(store as Backend, 'AUTH_test');
      await gateway.send({ line, headers: copied });
      expect(held).to.equal(weight);
      expect(gateway.admission.requests.used).to.equal(0);
      await gateway.close();
    });
  }

  it('lets a heavy one in where nothing else is', () => {
    expect(admission().ticket().enter(16, 100)).to.equal(undefined);
  });

  it('counts the memory of uploads: small ones not, large ones by what they hold', async () => {
    const door = admission({ inFlightMax: 100 });
    for (let index = 0; index < 10; index++) void door.ticket().enter(1, 64 * 1024);
    expect(door.bodies.used).to.equal(0);
    const large = door.ticket();
    expect(large.enter(1, 5_000 * MIB)).to.equal(undefined);
    expect(door.ticket().enter(1, undefined)).to.equal(undefined);
    expect(door.bodies.used).to.equal(2 * MIB);
    const late = door.ticket();
    expect(await refusal(late.enter(1, 100_000))).to.include({ code: 'SlowDown' });
    expect(rejected).to.deep.equal(['memory_queue_full']);
    const before = door.requests.used;
    late.leave();
    expect(door.requests.used).to.equal(before);
    large.leave();
    expect(door.bodies.used).to.equal(MIB);
  });

  it('lets no more wait for memory than it would hold, and takes memory before a turn', async () => {
    const door = admission({ inFlightMax: 1, bodyBytesMax: MIB, queueMax: 100 });
    const tickets = Array.from({ length: 4 }, () => door.ticket());
    const entering = tickets.map((ticket) => ticket.enter(1, MIB));
    expect(entering[0]).to.equal(undefined);
    // Two of half a MiB may wait.
    expect([door.bodies.waiting, door.requests.waiting]).to.deep.equal([2, 0]);
    expect(await refusal(entering[3])).to.include({ code: 'SlowDown' });
    for (const [index, ticket] of tickets.slice(0, 3).entries()) {
      await entering[index];
      ticket.leave();
    }
    expect([door.bodies.used, door.requests.used]).to.deep.equal([0, 0]);
  });

  it('counts the memory of downloads when their length is known', async () => {
    const door = admission({ inFlightMax: 100 });
    const body = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error()) }) };
    const answer = (contentLength: number | undefined) => ({
      status: 200,
      headers: [],
      body,
      contentLength,
    });
    const text = { status: 200, headers: [], body: 'text' };
    expect(door.ticket().enterDownload(text)).to.equal(undefined);
    expect(door.ticket().enterDownload(answer(1000))).to.equal(undefined);
    expect(door.bodies.used).to.equal(0);
    const [first, second] = [door.ticket(), door.ticket()];
    expect(first.enterDownload(answer(9 * MIB))).to.equal(undefined);
    expect(second.enterDownload(answer(undefined))).to.equal(undefined);
    const late = await refusal(door.ticket().enterDownload(answer(MIB)));
    expect(late.code).to.equal('SlowDown');
    first.leave();
    second.leave();
    expect(door.bodies.used).to.equal(0);
  });

  it('waits its turn, and tells how long', async () => {
    const door = admission({ inFlightMax: 1, queueMax: 1 });
    const [first, second] = [door.ticket(), door.ticket()];
    expect(first.enter(1, 0)).to.equal(undefined);
    const waiting = second.enter(1, 0);
    first.leave();
    await waiting;
    expect(waits).to.equal(1);
    expect(second.waitedS).to.be.greaterThan(0);
    second.leave();
    expect(door.requests.used).to.equal(0);
  });

  it('sends a key away that had its share', () => {
    const door = admission({ ratePerS: 0.001, rateBurst: 1 });
    door.checkRate('key');
    expect(() => {
      door.checkRate('key');
    }).to.throw(S3Error);
    door.checkRate('other');
    expect(rejected).to.deep.equal(['rate']);
  });
});
