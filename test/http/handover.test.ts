import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import type { EdgeLimits } from '../../src/http/limits.js';
import { prepareHttp, type HttpServer } from '../../src/http/server.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';
import { RawClient } from '../support/raw-http.js';
import { edgeOptions } from './support/edge.js';

describe('edge: handover of the port', () => {
  const servers: HttpServer[] = [];
  const sockets: { destroy(): void }[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  /** Answers with its name. */
  function prepare(name: string, host: string, port: number, limits: Partial<EdgeLimits> = {}) {
    const graces = { idleGraceMs: 10, handshakeGraceMs: 10 };
    const options = edgeOptions({ host, port, limits: { ...graces, ...limits } });
    const server = prepareHttp(options, async (exchange) => {
      await exchange.respond({ status: 200, headers: [], body: name });
    });
    servers.push(server);
    return server;
  }

  async function listenFirst(limits?: Partial<EdgeLimits>): Promise<HttpServer> {
    const former = prepare('former', '127.0.0.1', await freePort(), limits);
    await former.listen();
    return former;
  }

  async function open(port: number, host: string): Promise<RawClient> {
    const client = await RawClient.connect(port, host);
    sockets.push(client);
    return client;
  }

  async function ask(client: RawClient): Promise<string> {
    return (await client.get('/')).body.toString();
  }

  /** Until a new connection is answered by the server of that name. */
  async function untilAnswered(port: number, name: string, host = '127.0.0.1'): Promise<void> {
    await eventually(
      async () => ask(await open(port, host)),
      (who) => who === name,
    );
  }

  /** Connections whose handshake the kernel has done and that no server had the time to accept. */
  async function closedWith(server: HttpServer, count: number): Promise<string[]> {
    const outcomes: Promise<string>[] = [];
    for (let index = 0; index < count; index++) {
      const socket: Socket = connect(server.port, '127.0.0.1');
      sockets.push(socket);
      outcomes.push(
        once(socket, 'connect')
          .then(() => {
            socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
            return once(socket, 'data');
          })
          .then(
            () => 'answered',
            () => 'lost',
          ),
      );
    }
    // Node connects in the next tick; the event loop accepts nothing before the one after it.
    process.nextTick(() => {
      server.stopListening();
    });
    return Promise.all(outcomes);
  }

  it('loses no connection that waits to be accepted', async () => {
    const former = await listenFirst();
    const { port } = former;
    expect(await former.separate()).to.equal(true);
    await prepare('next', '127.0.0.1', port).listen();
    expect(await closedWith(former, 50)).to.deep.equal(Array<string>(50).fill('answered'));
  });

  it('loses some connections without it', async () => {
    const former = await listenFirst();
    const { port } = former;
    await prepare('next', '127.0.0.1', port).listen();
    expect(await closedWith(former, 50)).to.include('lost');
  });

  for (const [host, address] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['::', '::1'],
  ] as const) {
    it(`brings all new connections to the process that listens next (${host}, by ${address})`, async () => {
      const port = await freePort();
      const former = prepare('former', host, port, { handshakeGraceMs: 3_600_000 });
      await former.listen();
      await former.separate();
      expect(await ask(await open(port, address))).to.equal('former');
      await prepare('next', host, port).listen();
      void former.drainHandedOver(3_600_000);
      await untilAnswered(port, 'next', address);
      for (let turn = 0; turn < 20; turn++) {
        expect(await ask(await open(port, address))).to.equal('next');
      }
    });
  }

  it('is undone where no process listens next', async () => {
    const former = await listenFirst();
    const { port } = former;
    await former.separate();
    await former.rejoin();
    // Of one group again: both get their share.
    await prepare('other', '127.0.0.1', port).listen();
    for (const name of ['former', 'other']) {
      await untilAnswered(port, name);
    }
  });

  it('leaves kept connections open for one more request', async () => {
    const former = await listenFirst({ idleHandoverMs: 3_600_000 });
    const { port } = former;
    const kept = await open(port, '127.0.0.1');
    await ask(kept);
    await former.separate();
    await prepare('next', '127.0.0.1', port).listen();
    let drained = false;
    const draining = former.drainHandedOver(3_600_000).then((result) => {
      drained = true;
      return result;
    });
    await untilAnswered(port, 'next');
    expect(drained).to.equal(false);
    expect((await kept.get('/')).values('connection')).to.deep.equal(['close']);
    await kept.untilClosed();
    expect(await draining).to.deep.equal({ aborted: 0 });
  });

  it('ends its patience with idle connections when the whole service drains', async () => {
    const former = await listenFirst({ idleHandoverMs: 3_600_000 });
    const { port } = former;
    const kept = await open(port, '127.0.0.1');
    await until(() => former.connections === 1);
    const draining = former.drainHandedOver(3_600_000);
    void former.drain(3_600_000);
    await kept.untilClosed();
    expect(await draining).to.deep.equal({ aborted: 0 });
  });
});
