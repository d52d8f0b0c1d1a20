import { expect } from 'chai';
import type { RequestBody } from '../../src/http/exchange.js';
import { until } from '../support/until.js';
import { closeEdges, startEdge } from './support/edge.js';

const LENGTH = 300_000;

describe('edge: memory of all request bodies', () => {
  afterEach(closeEdges);

  it('once it is used up, bodies wait outside until they are read', async () => {
    const bodies: RequestBody[] = [];
    const release: (() => void)[] = [];
    const edge = await startEdge(
      async (exchange) => {
        bodies.push(exchange.body);
        await new Promise<void>((resolve) => release.push(resolve));
        let read = 0;
        for await (const piece of exchange.body) read += piece.length;
        await exchange.respond({ status: 200, headers: [], body: String(read) });
      },
      { bufferedBytesMax: 100_000 },
    );
    const upload = async () => {
      const client = await edge.connect();
      client.send(`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${LENGTH}\r\n\r\n`);
      const count = bodies.length;
      await until(() => bodies.length > count);
      client.send(Buffer.alloc(LENGTH));
      return client;
    };
    const first = await upload();
    await until(() => edge.server.bufferedBytes > 100_000);
    const second = await upload();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(bodies[1]?.bytesReceived).to.equal(0);
    // The first one still holds what it has: a reader needs no more than its own.
    release[1]?.();
    expect((await second.readResponse()).body.toString()).to.equal(String(LENGTH));
    release[0]?.();
    expect((await first.readResponse()).body.toString()).to.equal(String(LENGTH));
  });
});
