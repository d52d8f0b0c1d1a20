import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import type { EdgeLimits } from '../../src/http/limits.js';
import { prepareHttp, type HttpServer } from '../../src/http/server.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';
import { RawClient } from '../support/raw-http.js';

describe('edge: handover of the port', () => {
  const servers: HttpServer[] = [];
  const sockets: { destroy(): void }[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  /** Answers with its name. */
  function prepare(name: string, host: string, port: number, limits: Partial<EdgeLimits> = {}) {
    const server = prepareHttp(
      {
        host,
        port,
        limits: { receiveBufferBytes: 0, idleGraceMs: 10, handshakeGraceMs: 10, ...limits },
        onHandlerError: () => undefined,
      },
      async (exchange) => {
        await exchange.respond({ status: 200, headers: [], body: name });
      },
    );
    servers.push(server);
    return server;
  }

  async function open(port: number, host: string): Promise<RawClient> {
    const client = await RawClient.connect(port, host);
    sockets.push(client);
    return client;
  }

  async function ask(client: RawClient): Promise<string> {
    return (await client.get('/')).body.toString();
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
    const port = await freePort();
    const former = prepare('former', '127.0.0.1', port);
    await former.listen();
    expect(await former.separate()).to.equal(true);
    await prepare('next', '127.0.0.1', port).listen();
    expect(await closedWith(former, 50)).to.deep.equal(Array<string>(50).fill('answered'));
  });

  it('loses some connections without it', async () => {
    const port = await freePort();
    const former = prepare('former', '127.0.0.1', port);
    await former.listen();
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
      await eventually(
        async () => ask(await open(port, address)),
        (who) => who === 'next',
      );
      for (let turn = 0; turn < 20; turn++) {
        expect(await ask(await open(port, address))).to.equal('next');
      }
    });
  }

  it('is undone where no process listens next', async () => {
    const port = await freePort();
    const former = prepare('former', '127.0.0.1', port);
    await former.listen();
    await former.separate();
    await former.rejoin();
    // Of one group again: both get their share.
    await prepare('other', '127.0.0.1', port).listen();
    for (const name of ['former', 'other']) {
      await eventually(
        async () => ask(await open(port, '127.0.0.1')),
        (who) => who === name,
      );
    }
  });

  it('leaves kept connections open for one more request', async () => {
    const port = await freePort();
    const former = prepare('former', '127.0.0.1', port, { idleHandoverMs: 3_600_000 });
    await former.listen();
    const kept = await open(port, '127.0.0.1');
    await ask(kept);
    await former.separate();
    await prepare('next', '127.0.0.1', port).listen();
    let drained = false;
    const draining = former.drainHandedOver(3_600_000).then((result) => {
      drained = true;
      return result;
    });
    await eventually(
      async () => ask(await open(port, '127.0.0.1')),
      (who) => who === 'next',
    );
    expect(drained).to.equal(false);
    expect((await kept.get('/')).values('connection')).to.deep.equal(['close']);
    await kept.untilClosed();
    expect(await draining).to.deep.equal({ aborted: 0 });
  });

  it('ends its patience with idle connections when the whole service drains', async () => {
    const port = await freePort();
    const former = prepare('former', '127.0.0.1', port, { idleHandoverMs: 3_600_000 });
    await former.listen();
    const kept = await open(port, '127.0.0.1');
    await until(() => former.connections === 1);
    const draining = former.drainHandedOver(3_600_000);
    void former.drain(3_600_000);
    await kept.untilClosed();
    expect(await draining).to.deep.equal({ aborted: 0 });
  });
});
