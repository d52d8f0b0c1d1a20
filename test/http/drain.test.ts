import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { HttpResponse, SendResult } from '../../src/http/exchange.js';
import { ListenError, serveHttp, type HttpServer } from '../../src/http/server.js';
import { errorOf, failureOf } from '../support/failure.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';
import { closeEdges, edgeOptions, startEdge } from './support/edge.js';
import { texts } from './support/sources.js';

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const failure = await errorOf(once(socket, 'connect'));
  socket.destroy();
  return failure !== undefined;
}

describe('edge: drain', () => {
  afterEach(closeEdges);

  const ANSWERS: readonly (readonly [what: string, response: () => HttpResponse])[] = [
    ['a text', () => ({ status: 200, headers: [], body: 'text' })],
    ['an empty body', () => ({ status: 200, headers: [] })],
    ['no body', () => ({ status: 204, headers: [] })],
    ['a large buffer', () => ({ status: 200, headers: [], body: Buffer.alloc(1_000_000) })],
    ['a stream', () => ({ status: 200, headers: [], body: texts('a', 'b'), contentLength: 2 })],
  ];
  for (const [what, response] of ANSWERS) {
    for (const method of ['GET', 'HEAD']) {
      it(`closes a kept connection after ${what} (${method})`, async () => {
        const edge = await startEdge(async (exchange) => {
          await exchange.respond(response());
        });
        const client = await edge.connect();
        const head = `${method} / HTTP/1.1\r\nHost: a\r\n\r\n`;
        client.send(head);
        expect((await client.readResponse(method)).values('connection')).to.deep.equal([]);
        edge.server.stopListening();
        client.send(head);
        expect((await client.readResponse(method)).values('connection')).to.deep.equal(['close']);
        expect(await client.untilClosed()).to.have.length(0);
      });
    }
  }

  it('says so in a chunked response; the client closes', async () => {
    const edge = await startEdge(async (exchange) => {
      await exchange.respond({ status: 200, headers: [], body: texts('a') });
    });
    const client = await edge.connect();
    edge.server.stopListening();
    expect((await client.get('/')).values('connection')).to.deep.equal(['close']);
  });

  it('takes no new connections, and lets go of idle ones', async () => {
    const edge = await startEdge(
      (exchange) => {
        void exchange.respond({ status: 200, headers: [] });
      },
      { idleGraceMs: 10 },
    );
    const idle = await edge.connect();
    await idle.get('/');
    const fresh = await edge.connect();
    // The client may know of it first.
    await until(() => edge.server.connections === 2);
    expect(await edge.server.drain(10_000)).to.deep.equal({ aborted: 0 });
    await idle.untilClosed();
    await fresh.untilClosed();
    expect(edge.server.connections).to.equal(0);
    expect(await isRefused(edge.server.port)).to.equal(true);
  });

  it('waits for what is in flight', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const edge = await startEdge(async (exchange) => {
      await released;
      await exchange.respond({ status: 200, headers: [], body: 'late' });
    });
    const client = await edge.connect();
    const answer = client.get('/');
    await until(() => edge.server.inFlight === 1);
    let drained = false;
    const draining = edge.server.drain(60_000).then((result) => {
      drained = true;
      return result;
    });
    await until(() => edge.server.inFlight === 1);
    expect(await isRefused(edge.server.port)).to.equal(true);
    expect(drained).to.equal(false);
    release();
    expect((await answer).body.toString()).to.equal('late');
    expect(await draining).to.deep.equal({ aborted: 0 });
  });

  it('cuts off what takes longer, and says how many', async () => {
    const results: SendResult[] = [];
    let unanswered = false;
    const edge = await startEdge(async (exchange) => {
      if (exchange.request.rawPath === '/hang') {
        exchange.signal.addEventListener('abort', () => {
          unanswered = true;
        });
        await new Promise(() => undefined);
      }
      const body = {
        [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }),
      };
      results.push(await exchange.respond({ status: 200, headers: [], body }));
    });
    for (const path of ['/hang', '/stream']) {
      (await edge.connect()).send(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    }
    await until(() => edge.server.inFlight === 2);
    expect(await edge.server.drain(20)).to.deep.equal({ aborted: 2 });
    expect(unanswered).to.equal(true);
    await until(() => results.length === 1);
    expect(results[0]).to.deep.equal({ bytesSent: 0, abortedBy: 'deadline' });
    expect(edge.server.inFlight).to.equal(0);
  });

  it('does not count an answered client that only has not left yet', async () => {
    const edge = await startEdge(async (exchange) => {
      await exchange.respond({ status: 403, headers: [], body: 'no' });
    });
    const client = await edge.connect();
    client.send('PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n');
    await client.readResponse();
    expect(edge.server.inFlight).to.equal(1);
    expect(await edge.server.drain(20)).to.deep.equal({ aborted: 0 });
  });
});

describe('edge: the port', () => {
  const servers: HttpServer[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function listen(port: number, listenExclusive?: boolean): Promise<HttpServer> {
    const server = await serveHttp(edgeOptions({ port, listenExclusive }), () => undefined);
    servers.push(server);
    return server;
  }

  it('is shared between servers', async () => {
    const port = await freePort();
    await listen(port);
    expect((await listen(port)).port).to.equal(port);
  });

  it('is not shared when asked so', async () => {
    const port = await freePort();
    await listen(port, true);
    const error = await failureOf(listen(port), ListenError);
    expect(error).to.include({ host: '127.0.0.1', port });
  });

  it('is not shared when it was chosen by the kernel', async () => {
    const { port } = await listen(0);
    await failureOf(listen(port), ListenError);
  });

  it('can be closed twice', async () => {
    const server = await listen(0);
    server.close();
    server.close();
    expect(await isRefused(server.port)).to.equal(true);
  });
});
