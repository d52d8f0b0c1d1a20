import { expect } from 'chai';
import type { Socket } from 'node:net';
import type { CallContext } from '../../../src/backend/backend.js';
import type { Answer } from '../../../src/backend/swift/net/answer.js';
import { AttemptError } from '../../../src/backend/swift/net/retry-policy.js';
import type { HttpPool } from '../../../src/lib/http-client/pool.js';
import { callWhole } from '../../../src/backend/swift/net/whole-call.js';
import {
  cancelledBy,
  type AbortListener,
  type Cancellation,
} from '../../../src/lib/cancellation.js';
import { RawServer } from '../../lib/http-client/support.js';
import { failureOf } from '../../support/failure.js';
import { until } from '../../support/until.js';
import type { SwiftRequest } from '../../../src/backend/swift/transport.js';
import { answer, type SeenRequest } from './support/fake-swift.js';
import { CONTEXT, useFakes, type Fixture } from './support/open-fake.js';

const REASON = new Error('the client went away');

/** A context that is aborted at some stage, and what becomes of the connection. */
for (const by of ['signal', 'listeners'] as const)
  describe(`Swift transport: abort, told by ${by}`, () => {
    let fixture: Fixture;
    let controller: AbortController;
    let listeners: Set<AbortListener>;
    let held: SeenRequest[];
    const hold = (request: SeenRequest): void => void held.push(request);

    const open = useFakes();

    beforeEach(async () => {
      controller = new AbortController();
      listeners = new Set();
      controller.signal.addEventListener('abort', () => {
        for (const listener of listeners) listener.aborted(REASON);
      });
      held = [];
      fixture = await open(1, { connectionsMax: 1 });
      (await fixture.get()).cancel();
      fixture.fake.seen.length = 0;
      fixture.fake.steps = [hold];
    });

    afterEach(async () => {
      await until(() => fixture.transport.load().active === 0);
      expect(fixture.transport.load().waiting).to.equal(0);
      expect(fixture.retries).to.deep.equal([]);
      expect(listeners.size).to.equal(0);
    });

    /** Aborts a request that the server has, which fails with the reason and lets go of it. */
    async function expectAborted(failed: Promise<unknown>): Promise<void> {
      await until(() => held.length === 1);
      controller.abort(REASON);
      expect(await failed).to.equal(REASON);
      await cut(held[0]!);
    }

    function abortable(request: Partial<SwiftRequest> = {}) {
      const cancellation = by === 'signal' ? cancelledBy(controller.signal) : listenedTo();
      return fixture.get({ ...request, context: { ...CONTEXT, cancellation } });
    }

    /** As an exchange tells it: the signal is there for those who need one. */
    function listenedTo(): Cancellation {
      const { signal } = controller;
      return {
        signal,
        get aborted() {
          return signal.aborted;
        },
        addAbortListener: (listener) => void listeners.add(listener),
        removeAbortListener: (listener) => void listeners.delete(listener),
      };
    }

    /** The other side of the connection is gone. */
    async function cut({ incoming }: SeenRequest): Promise<void> {
      await until(() => incoming.socket.destroyed);
    }

    async function* abc() {
      yield await Promise.resolve(Buffer.from('abc'));
    }

    it('before anything is done', async () => {
      controller.abort(REASON);
      expect(await failureOf(abortable())).to.equal(REASON);
      expect(fixture.fake.seen).to.deep.equal([]);
    });

    it('while it waits for the answer', async () => {
      await expectAborted(failureOf(abortable()));
    });

    it('while it waits for a connection', async () => {
      const first = fixture.get();
      await until(() => held.length === 1);
      const failed = failureOf(abortable());
      await until(() => fixture.transport.load().waiting === 1);
      controller.abort(REASON);
      expect(await failed).to.equal(REASON);
      held[0]!.response.end();
      await (await first).text(10);
      expect(fixture.fake.seen).to.have.length(1);
    });

    it('while the body comes', async () => {
      fixture.fake.steps = [
        (request) => {
          hold(request);
          request.response.writeHead(200, { 'Content-Length': 100 }).write('the beginning');
        },
      ];
      const response = await abortable();
      await expectAborted(failureOf(response.text(1000)));
    });

    it('after the answer, which is there to stay', async () => {
      fixture.fake.steps = [answer(200, 'all of it')];
      const response = await abortable();
      await until(() => fixture.transport.load().active === 0);
      controller.abort(REASON);
      expect(await response.text(100)).to.equal('all of it');
    });

    it('while a stream waits to be taken', async () => {
      const body = { source: abc(), size: 3 };
      await expectAborted(failureOf(abortable({ method: 'PUT', body })));
    });

    it('while a stream is sent', async () => {
      fixture.fake.steps = [
        (request) => {
          request.incoming.once('data', () => {
            hold(request);
          });
          request.response.writeContinue();
        },
      ];
      let left = false;
      const source = (async function* () {
        try {
          yield Buffer.from('abc');
          await until(() => controller.signal.aborted);
          yield Buffer.from('def');
        } finally {
          left = true;
        }
      })();
      const body = { source, size: 6 };
      await expectAborted(failureOf(abortable({ method: 'PUT', body })));
      await until(() => left);
    });

    it('while it pauses before trying again', async () => {
      let answered = 0;
      fixture.fake.steps = [
        async (request) => {
          answered += 1;
          controller.abort(REASON);
          await answer(503)(request);
        },
      ];
      expect(await failureOf(abortable())).to.equal(REASON);
      expect(answered).to.equal(1);
    });

    if (by === 'listeners')
      it('asks for no signal, which costs more than a small request, where listeners suffice', async () => {
        fixture.fake.steps = [answer(200, 'x')];
        const cancellation: Cancellation = {
          ...listenedTo(),
          aborted: false,
          get signal(): AbortSignal {
            throw new Error('a signal was asked for');
          },
        };
        const context = { ...CONTEXT, cancellation };
        expect(await (await fixture.get({ context })).text(10)).to.equal('x');
        const put = { method: 'PUT', context } as const;
        const whole = await fixture.get({ ...put, body: Buffer.from('abc') });
        expect(await whole.text(10)).to.equal('x');
        const streamed = await fixture.get({ ...put, body: { source: abc(), size: 3 } });
        expect(await streamed.text(10)).to.equal('x');
      });

    it('leaves nothing behind on a signal that outlives its requests', async () => {
      fixture.fake.steps = [answer(200, 'x')];
      const { signal } = controller;
      let added = 0;
      const add = signal.addEventListener.bind(signal);
      const remove = signal.removeEventListener.bind(signal);
      signal.addEventListener = (...args: Parameters<typeof add>) => {
        added += 1;
        add(...args);
      };
      signal.removeEventListener = (...args: Parameters<typeof remove>) => {
        added -= 1;
        remove(...args);
      };
      for (let i = 0; i < 5; i++) await (await abortable()).text(10);
      const body = { source: abc(), size: 3 };
      await (await abortable({ method: 'PUT', body })).text(10);
      expect(added).to.equal(0);
    });
  });

describe('Swift transport: calls that are given up before they have a connection', () => {
  let held: Socket[];
  let server: RawServer;
  let pool: HttpPool;
  let released: number;

  beforeEach(async () => {
    held = [];
    server = await RawServer.start((socket) => void held.push(socket));
    pool = server.pool({ connectionsMax: 1 });
    released = 0;
  });

  afterEach(async () => {
    pool.destroy();
    await server.stop();
  });

  function call(context: CallContext): Promise<Answer> {
    const get = {
      endpoint: 'http://swift',
      method: 'GET' as const,
      path: '/',
      headers: [],
      headersTimeoutMs: 60_000,
      bodyTimeoutMs: 60_000,
      context,
      released: () => {
        released += 1;
      },
    };
    return callWhole(pool, get, undefined);
  }

  it('are forgotten, however many they are', async () => {
    const controller = new AbortController();
    const givenUp = { ...CONTEXT, cancellation: cancelledBy(controller.signal) };
    const answers = [call(CONTEXT)];
    await until(() => held.length === 1);
    // Handing the connection from one to the next would be more calls than the stack has room for.
    const waiting = Array.from({ length: 5_000 }, () => failureOf(call(givenUp)));
    answers.push(call(CONTEXT));
    controller.abort(REASON);
    for (const error of await Promise.all(waiting)) {
      expect(error).to.be.instanceOf(AttemptError);
      expect(error).to.include({ stage: 'given_up', cause: REASON });
    }
    for (const answered of answers) {
      await until(() => held.length === 1);
      held.pop()?.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      expect((await answered).status).to.equal(200);
    }
    expect(released).to.equal(waiting.length + answers.length);
    expect(server.sockets).to.have.length(1);
  });
});
