import { expect } from 'chai';
import {
  BodyDiscardedError,
  BodyTooLargeError,
  ClientAbortedError,
  type Exchange,
} from '../../src/http/exchange.js';
import { errorOf } from '../support/failure.js';
import type { RawClient } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { closeEdges, startEdge, type Edge } from './support/edge.js';

function put(length: number): string {
  return `PUT /b/k HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
}

const CHUNKED = 'PUT /b/k HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('edge: request bodies', () => {
  let edge: Edge;
  let client: RawClient;

  afterEach(closeEdges);

  async function serve(handler: (exchange: Exchange) => Promise<unknown>): Promise<void> {
    edge = await startEdge(async (exchange) => {
      const answer = await handler(exchange);
      await exchange.respond({ status: 200, headers: [], body: JSON.stringify(answer ?? null) });
    });
    client = await edge.connect();
  }

  async function answer(): Promise<unknown> {
    const response = await client.readResponse();
    expect(response.status).to.equal(200);
    return JSON.parse(response.body.toString()) as unknown;
  }

  describe('collected', () => {
    beforeEach(() =>
      serve(async ({ body }) => {
        const collected = await body.collect(10);
        return [collected.toString(), body.contentLength ?? null, body.bytesReceived];
      }),
    );

    it('comes whole when it arrives with the head', async () => {
      client.send(`${put(5)}hello`);
      expect(await answer()).to.deep.equal(['hello', 5, 5]);
    });

    it('comes whole when it arrives in pieces', async () => {
      client.send(`${put(5)}he`);
      await until(() => edge.server.inFlight === 1);
      client.send('l');
      await new Promise(setImmediate);
      client.send('lo');
      expect(await answer()).to.deep.equal(['hello', 5, 5]);
    });

    it('comes whole when it is chunked, wherever the framing is split', async () => {
      const probe = await edge.connect();
      const framed = '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n';
      for (let at = 0; at < framed.length; at++) {
        client = await edge.connect();
        client.send(CHUNKED + framed.slice(0, at));
        // When another connection has its answer, the first piece has been read.
        await probe.get('/');
        client.send(framed.slice(at));
        expect(await answer(), `split at ${at}`).to.deep.equal(['hello', null, 5]);
      }
    });

    it('is empty when there is none', async () => {
      for (const head of [put(0), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n']) {
        client.send(head);
        expect(await answer()).to.deep.equal(['', 0, 0]);
      }
      client.send(`${CHUNKED}0\r\n\r\n`);
      expect(await answer()).to.deep.equal(['', null, 0]);
    });

    it('keeps the connection for the next request', async () => {
      client.send(`${put(2)}ab`);
      expect(await answer()).to.deep.equal(['ab', 2, 2]);
      client.send(`${put(2)}cd`);
      expect(await answer()).to.deep.equal(['cd', 2, 2]);
    });
  });

  it('comes whole when it is read after it has arrived', async () => {
    await serve(async ({ body }) => {
      await until(() => body.bytesReceived === 5);
      return (await body.collect(5)).toString();
    });
    client.send(`${put(5)}hello`);
    expect(await answer()).to.equal('hello');
  });

  it('is refused at once when the announced length exceeds the limit', async () => {
    let bytesReceived = -1;
    await serve(async ({ body }) => {
      const error = await errorOf(body.collect(10));
      bytesReceived = body.bytesReceived;
      return error instanceof BodyTooLargeError && error.limit;
    });
    client.send(put(11));
    expect(await answer()).to.equal(10);
    expect(bytesReceived).to.equal(0);
  });

  it('is refused when a chunked body exceeds the limit', async () => {
    await serve(async ({ body }) => (await errorOf(body.collect(10))) instanceof BodyTooLargeError);
    client.send(`${CHUNKED}6\r\nabcdef\r\n`);
    await until(() => edge.server.inFlight === 1);
    client.send('6\r\nabcdef\r\n');
    expect(await answer()).to.equal(true);
  });

  it('is iterated as it arrives', async () => {
    const pieces: string[] = [];
    await serve(async ({ body }) => {
      for await (const chunk of body) pieces.push(chunk.toString());
    });
    client.send(put(6));
    for (const [at, piece] of ['ab', 'cd', 'ef'].entries()) {
      client.send(piece);
      await until(() => pieces.length === at + 1);
    }
    await answer();
    expect(pieces).to.deep.equal(['ab', 'cd', 'ef']);
  });

  it('is read once', async () => {
    await serve(async ({ body }) => {
      await body.collect(10);
      const again = await errorOf(body.collect(10));
      expect(() => body[Symbol.asyncIterator]()).to.throw(/a reader already/);
      return (again as Error).message;
    });
    client.send(`${put(5)}hello`);
    expect(await answer()).to.match(/a reader already/);
  });

  it('can be sent back while it arrives', async () => {
    const echo = await startEdge(async (exchange) => {
      const { body } = exchange;
      await exchange.respond({ status: 200, headers: [], body, contentLength: body.contentLength });
    });
    client = await echo.connect();
    client.send(`${put(6)}abc`);
    await until(() => echo.server.inFlight === 1);
    client.send('def');
    expect((await client.readResponse()).body.toString()).to.equal('abcdef');
  });

  describe('of a client that goes away', () => {
    async function abortWhile(read: (exchange: Exchange) => Promise<unknown>): Promise<Exchange> {
      let seen: Exchange | undefined;
      let error: unknown;
      edge = await startEdge(async (exchange) => {
        seen = exchange;
        error = await errorOf(read(exchange));
        await exchange.respond({ status: 200, headers: [] });
      });
      client = await edge.connect();
      client.send(`${put(10)}abc`);
      await until(() => seen?.body.bytesReceived === 3);
      client.destroy();
      await until(() => error !== undefined);
      expect(error).to.be.instanceOf(ClientAbortedError);
      expect(edge.errors).to.deep.equal([]);
      return seen!;
    }

    it('fails to be collected', async () => {
      const exchange = await abortWhile(({ body }) => body.collect(100));
      expect(exchange.aborted).to.equal(true);
      expect(exchange.signal.reason).to.be.instanceOf(ClientAbortedError);
    });

    it('fails to be iterated', async () => {
      await abortWhile(async ({ body }) => {
        for await (const chunk of body) expect(chunk.length).to.equal(3);
      });
    });

    it('fails also for a reader that comes later', async () => {
      await abortWhile(async (exchange) => {
        await until(() => exchange.aborted);
        await exchange.body.collect(100);
      });
    });

    it('aborts the signal', async () => {
      await abortWhile(
        ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              reject(signal.reason as Error);
            });
          }),
      );
    });

    it('tells all listeners that have not left', async () => {
      await abortWhile(
        (exchange) =>
          new Promise((resolve, reject) => {
            const left = { aborted: resolve };
            exchange.addAbortListener(left);
            exchange.addAbortListener({ aborted: reject });
            exchange.removeAbortListener(left);
          }),
      );
    });
  });

  it('may be waited for by many calls at once, without a warning', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    try {
      await serve(async ({ signal }) => {
        for (let n = 0; n < 50; n++) signal.addEventListener('abort', () => n);
        await new Promise(setImmediate);
      });
      client.send(put(0));
      await answer();
    } finally {
      process.off('warning', warned);
    }
    expect(warnings).to.deep.equal([]);
  });

  it('fails for a reader that is still there when the response is complete', async () => {
    let error: unknown;
    edge = await startEdge(async (exchange) => {
      const reading = errorOf(exchange.body.collect(100));
      await exchange.respond({ status: 200, headers: [], body: 'early' });
      error = await reading;
    });
    client = await edge.connect();
    client.send(`${put(6)}abc`);
    expect((await client.readResponse()).body.toString()).to.equal('early');
    await until(() => error !== undefined);
    expect(error).to.be.instanceOf(BodyDiscardedError);
    client.send('def');
    client.send(`${put(3)}xyz`);
    expect((await client.readResponse()).body.toString()).to.equal('early');
  });
});
