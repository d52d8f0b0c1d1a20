import { expect } from 'chai';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { TimeoutError } from '../../../src/lib/http-client/deadline.js';
import type { HttpPool } from '../../../src/lib/http-client/pool.js';
import { until } from '../../support/until.js';
import { Get, RawServer } from './support.js';

const OK = 'HTTP/1.1 200 OK\r\n';
const EMPTY = `${OK}Content-Length: 0\r\n\r\n`;
/** Enough for a peer's bytes to arrive. */
const TURNS = 20;

describe('HTTP connections: waiting for one', () => {
  let server: RawServer;
  let pool: HttpPool;
  let serve: (socket: Socket, text: string, connection: number) => void;

  beforeEach(async () => {
    serve = (socket) => void socket.write(EMPTY);
    server = await RawServer.start((socket, text, connection) => {
      serve(socket, text, connection);
    });
    pool = server.pool();
  });

  afterEach(async () => {
    pool.destroy();
    await server.stop();
  });

  it('are no more than they may be: what comes then waits its turn', async () => {
    const held: Socket[] = [];
    serve = (socket) => void held.push(socket);
    pool = server.pool({ connectionsMax: 2 });
    const gets = Array.from({ length: 5 }, () => new Get());
    for (const get of gets) pool.start(get);
    for (const get of gets) {
      await until(() => held.length > 0);
      for (let i = 0; i < TURNS; i++) await turn();
      expect(held.length).to.be.at.most(2);
      held.shift()?.write(EMPTY);
      await get.over;
    }
    expect(gets.map(({ state }) => state)).to.deep.equal(gets.map(() => 'ended'));
    expect(server.sockets).to.have.length(2);
  });

  it('are not waited for without end', async () => {
    serve = () => undefined;
    pool = server.pool({ connectionsMax: 1, waitTimeoutMs: 50 });
    const [first, ...others] = Array.from({ length: 3 }, () => new Get());
    for (const get of [first, ...others]) if (get !== undefined) pool.start(get);
    for (const { over } of others) await over;
    for (const { error } of others) expect(error).to.be.instanceOf(TimeoutError);
    expect(first?.state).to.equal('under_way');
    // The next wait has a time of its own.
    const later = new Get();
    pool.start(later);
    await later.over;
    expect(later.error).to.be.instanceOf(TimeoutError);
  });

  it('are not given to what has left while it waited', async () => {
    const held: Socket[] = [];
    serve = (socket) => void held.push(socket);
    pool = server.pool({ connectionsMax: 1 });
    const [first, left, last] = [new Get(), new Get(), new Get()];
    for (const get of [first, left, last]) pool.start(get);
    pool.leave(left);
    for (const get of [first, last]) {
      await until(() => held.length > 0);
      held.shift()?.write(EMPTY);
      await get.over;
    }
    expect([first.state, left.state, last.state]).to.deep.equal(['ended', 'under_way', 'ended']);
    expect(left.connection).to.equal(undefined);
    pool.destroy();
    expect(left.error).to.equal(undefined);
  });
});
