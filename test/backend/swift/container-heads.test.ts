import { expect } from 'chai';
import { ContainerHeads } from '../../../src/backend/swift/container-heads.js';
import { type ScriptedAnswer, ScriptedTransport } from './support/scripted-transport.js';
import { cancelledBy } from '../../../src/lib/cancellation.js';

const REF = { account: 'AUTH_a', container: 'c' };
const CONTEXT = { requestId: 'test' };
/** Longer than any test. */
const LONG_MS = 3_600_000;

const MISSING: ScriptedAnswer = { status: 404 };

function head(objectCount: number): ScriptedAnswer {
  return {
    status: 204,
    headers: {
      'x-timestamp': '1795160050.29176',
      'last-modified': 'Fri, 20 Nov 2026 07:34:11 GMT',
      'x-container-object-count': String(objectCount),
      'x-container-bytes-used': '0',
    },
  };
}

/** Every answer counts one more object. */
function counting(cacheMs: number): { transport: ScriptedTransport; heads: ContainerHeads } {
  let count = 0;
  const transport = new ScriptedTransport(() => head(++count));
  return { transport, heads: new ContainerHeads(transport, cacheMs) };
}

describe('swift: container heads', () => {
  it('are requested once for all callers while they are not older than allowed', async () => {
    const { transport, heads } = counting(LONG_MS);
    const got = await Promise.all(Array.from({ length: 5 }, () => heads.head(CONTEXT, REF)));
    got.push(await heads.head(CONTEXT, REF));
    expect(got.map(({ objectCount }) => objectCount)).to.deep.equal([1, 1, 1, 1, 1, 1]);
    expect(transport.requests).to.have.length(1);
    await heads.head(CONTEXT, { ...REF, container: 'other' });
    expect(transport.requests).to.have.length(2);
  });

  it('are asked for again by each where nothing may be kept', async () => {
    const { heads } = counting(0);
    const got = await Promise.all([heads.head(CONTEXT, REF), heads.head(CONTEXT, REF)]);
    expect(got.map(({ objectCount }) => objectCount)).to.deep.equal([1, 2]);
  });

  it('are requested of all replicas by a caller that wants the newest, and kept for the others', async () => {
    const { transport, heads } = counting(LONG_MS);
    await heads.head(CONTEXT, REF);
    const newest = await heads.head(CONTEXT, REF, { newest: true });
    expect(newest.objectCount).to.equal(2);
    expect(transport.requests[1]?.headers).to.deep.equal({ 'x-newest': 'true' });
    expect((await heads.head(CONTEXT, REF)).objectCount).to.equal(2);
  });

  it('are forgotten with a write, those on their way too', async () => {
    let answer: (answer: ScriptedAnswer) => void = () => undefined;
    const first = new Promise<ScriptedAnswer>((resolve) => (answer = resolve));
    const answers = [first, Promise.resolve(head(2))];
    const transport = new ScriptedTransport(() => answers.shift() ?? MISSING);
    const heads = new ContainerHeads(transport, LONG_MS);
    const before = heads.head(CONTEXT, REF);
    heads.forget(REF);
    const after = heads.head(CONTEXT, REF);
    answer(head(1));
    expect((await before).objectCount).to.equal(1);
    expect((await after).objectCount).to.equal(2);
    expect((await heads.head(CONTEXT, REF)).objectCount).to.equal(2);
  });

  it('of a missing container are kept only for callers that may overlook a new one', async () => {
    const answers = [MISSING, MISSING];
    const transport = new ScriptedTransport(() => answers.shift() ?? head(1));
    const heads = new ContainerHeads(transport, LONG_MS);
    expect(await heads.isKnown(CONTEXT, REF)).to.equal(false);
    expect(await heads.isKnown(CONTEXT, REF)).to.equal(false);
    expect(transport.requests).to.have.length(1);
    expect(await heads.exists(CONTEXT, REF)).to.equal(false);
    await heads.head(CONTEXT, REF);
    expect(await heads.isKnown(CONTEXT, REF)).to.equal(true);
    expect(transport.requests).to.have.length(3);
  });

  it('of a missing container are kept five times as long as others', async () => {
    let now = 0;
    const transport = new ScriptedTransport(() => MISSING);
    const heads = new ContainerHeads(transport, 1000, () => now);
    await heads.isKnown(CONTEXT, REF);
    now = 4999;
    await heads.isKnown(CONTEXT, REF);
    expect(transport.requests).to.have.length(1);
    now = 5000;
    await heads.isKnown(CONTEXT, REF);
    expect(transport.requests).to.have.length(2);

    const counted = counting(1000);
    const there = new ContainerHeads(counted.transport, 1000, () => now);
    await there.isKnown(CONTEXT, REF);
    now += 1000;
    await there.isKnown(CONTEXT, REF);
    expect(counted.transport.requests).to.have.length(2);
  });

  it('that fail are asked for again', async () => {
    const answers: ScriptedAnswer[] = [{ status: 503 }];
    const transport = new ScriptedTransport(() => answers.shift() ?? head(1));
    const heads = new ContainerHeads(transport, LONG_MS);
    const failed = await heads.head(CONTEXT, REF).catch((error: unknown) => error);
    expect(failed).to.include({ code: 'Unavailable' });
    expect((await heads.head(CONTEXT, REF)).objectCount).to.equal(1);
  });

  it('of the thousand that were asked for last are kept', async () => {
    const { transport, heads } = counting(LONG_MS);
    const ask = async (i: number): Promise<void> => {
      await heads.head(CONTEXT, { ...REF, container: `c${i}` });
    };
    for (let i = 0; i <= 1000; i++) await ask(i);
    expect(transport.requests).to.have.length(1001);
    await ask(1);
    expect(transport.requests).to.have.length(1001);
    await ask(0);
    expect(transport.requests).to.have.length(1002);
  });

  it('do not fail for waiting callers when the first caller gives up', async () => {
    let answer: (answer: ScriptedAnswer) => void = () => undefined;
    const only = new Promise<ScriptedAnswer>((resolve) => (answer = resolve));
    const transport = new ScriptedTransport(() => only);
    const heads = new ContainerHeads(transport, LONG_MS);
    const leaving = new AbortController();
    const first = heads.head({ ...CONTEXT, cancellation: cancelledBy(leaving.signal) }, REF);
    const second = heads.head(CONTEXT, REF);
    leaving.abort(new Error('gone'));
    answer(head(1));
    expect(await first.catch((error: unknown) => error)).to.include({ message: 'gone' });
    expect((await second).objectCount).to.equal(1);
  });

  it('tell when the container was created, also where its database is older', async () => {
    const heads = async (timestamp: string): Promise<number> => {
      const answer = head(0);
      const headers = { ...answer.headers, 'x-timestamp': timestamp };
      const transport = new ScriptedTransport(() => ({ ...answer, headers }));
      return (await new ContainerHeads(transport, 0).head(CONTEXT, REF)).createdAt;
    };
    expect(await heads('1795160050.29176')).to.equal(1_795_160_050_291);
    expect(await heads('1795000000.00000')).to.equal(Date.parse('2026-11-20T07:34:11Z'));
  });
});
