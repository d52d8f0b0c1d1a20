import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { ReadSlabs } from '../../../src/lib/buffers/read-slabs.js';
import type { HttpPool } from '../../../src/lib/http-client/pool.js';
import { makeCertificate } from '../../support/certificate.js';
import { useOnce } from '../../support/fixture.js';
import { useTempFolderOnce } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';
import { Get, RawServer } from './support.js';

const OK = 'HTTP/1.1 200 OK\r\n';
const EMPTY = `${OK}Content-Length: 0\r\n\r\n`;
const SLAB_BYTES = 64 * 1024;
const LONG = Buffer.from(Uint32Array.from({ length: 512 * 1024 }, (_, index) => index).buffer);
/** Enough for a peer's bytes to arrive if anybody read them. */
const TURNS = 20;

describe('HTTP connections', () => {
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

  it('are used again, the one that was used last first', async () => {
    const both = [new Get().in(pool), new Get().in(pool)];
    await Promise.all(both);
    expect(server.sockets).to.have.length(2);
    const last = (await new Get().in(pool)).connection;
    for (let i = 0; i < 3; i++) expect((await new Get().in(pool)).connection).to.equal(last);
    expect(server.sockets).to.have.length(2);
    expect(pool.connected).to.equal(2);
  });

  it('that end make room for what waits', async () => {
    serve = (socket) => void socket.end();
    pool = server.pool({ connectionsMax: 1 });
    const gets = [new Get(), new Get(), new Get()];
    await Promise.all(gets.map((get) => get.in(pool)));
    expect(gets.map(({ state }) => state)).to.deep.equal(['failed', 'failed', 'failed']);
    expect(server.sockets).to.have.length(3);
  });

  const unusable: [string, string][] = [
    ['says that it closes', `${OK}Connection: close\r\nContent-Length: 1\r\n\r\na`],
    ['speaks HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na'],
    ['sends more than it said', `${OK}Content-Length: 1\r\n\r\nab`],
    ['keeps connections for no time', `${OK}Keep-Alive: timeout=1\r\nContent-Length: 1\r\n\r\na`],
  ];
  for (const [title, response] of unusable) {
    it(`are not used again when the server ${title}`, async () => {
      serve = (socket) => void socket.write(response);
      for (let i = 1; i <= 3; i++) {
        const get = await new Get().in(pool);
        expect(get.body).to.equal('a');
        expect(server.sockets).to.have.length(i);
      }
      expect(pool.connected).to.equal(0);
    });
  }

  it('are closed by bytes that no request asked for', async () => {
    await new Get().in(pool);
    server.sockets[0]?.write(`${OK}Content-Length: 6\r\n\r\nforged`);
    await until(() => pool.connected === 0);
    const get = await new Get().in(pool);
    expect([get.state, get.body]).to.deep.equal(['ended', '']);
    expect(server.sockets).to.have.length(2);
  });

  it('are closed when the server closes, or when they have waited for long', async () => {
    await new Get().in(pool);
    server.sockets[0]?.end();
    await until(() => pool.connected === 0);
    const brief = server.pool({ keepAliveMs: 20 });
    await new Get().in(brief);
    await until(() => brief.connected === 0);
  });

  it('end a body that has no other end', async () => {
    serve = (socket) => void socket.end(`${OK}\r\nall of it`);
    const get = await new Get().in(pool);
    expect([get.state, get.body]).to.deep.equal(['ended', 'all of it']);
    expect(pool.connected).to.equal(0);
  });

  const broken: [string, string][] = [
    ['before the head', ''],
    ['within the head', `${OK}Content-Le`],
    ['within the body', `${OK}Content-Length: 5\r\n\r\nab`],
    ['within a chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nab`],
    ['before the last chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`],
  ];
  for (const [title, response] of broken) {
    it(`that end ${title} fail the request`, async () => {
      serve = (socket) => void socket.end(response);
      expect((await new Get().in(pool)).state).to.equal('failed');
    });
  }

  it('that are refused fail the request', async () => {
    const { port } = server;
    await server.stop();
    const get = await new Get().in(pool);
    expect(get.error).to.have.property('code', 'ECONNREFUSED');
    expect(get.connection).to.equal(undefined);
    server = await RawServer.start(() => undefined);
    expect(port).to.be.greaterThan(0);
  });

  it('tell when the time is over that was set, and not when it was cleared', async () => {
    serve = () => undefined;
    const late = new Get((connection) => {
      connection.arm(60_000);
      connection.send('GET / HTTP/1.1\r\n\r\n', false, Buffer.alloc(0));
      connection.disarm();
      connection.arm(20);
    });
    await late.in(pool);
    expect(late.timeouts).to.equal(1);
    const patient = new Get((connection) => {
      connection.arm(1);
      connection.disarm();
      connection.send('GET / HTTP/1.1\r\n\r\n', false, Buffer.alloc(0));
    });
    pool.start(patient);
    await until(() => server.seen.length === 2);
    await late.in(pool);
    expect(patient.timeouts).to.equal(0);
  });

  it('send bodies of any size behind the head', async () => {
    const bodies = [0, 1, 16 * 1024, 16 * 1024 + 1, 1024 * 1024].map((size) =>
      Buffer.alloc(size, 'x'),
    );
    for (const body of bodies) {
      let bytes = 0;
      const head = `PUT / HTTP/1.1\r\ncontent-length: ${body.length}\r\n\r\n`;
      serve = (socket, text) => {
        bytes += text.length;
        if (bytes === head.length + body.length) socket.write(EMPTY);
      };
      const put = new Get((connection) => {
        connection.send(head, false, body);
      });
      expect((await put.in(pool)).state).to.equal('ended');
    }
    expect(server.sockets).to.have.length(1);
  });

  it('are not used again when the answer comes before the end of the request', async () => {
    const early = new Get((connection) => {
      connection.send('PUT / HTTP/1.1\r\ncontent-length: 5\r\n\r\n', false, undefined);
    });
    expect((await early.in(pool)).state).to.equal('ended');
    expect(pool.connected).to.equal(0);
    const whole = new Get((connection) => {
      connection.send('PUT / HTTP/1.1\r\ncontent-length: 5\r\n\r\n', false, undefined);
      connection.write(['ab', Buffer.from('cde')], () => undefined);
      connection.endRequest();
    });
    expect((await whole.in(pool)).state).to.equal('ended');
    expect(pool.connected).to.equal(1);
  });

  describe('over memory that is used again', () => {
    beforeEach(() => {
      serve = (socket) => {
        socket.write(`${OK}Content-Length: ${LONG.length}\r\n\r\n`);
        socket.write(LONG);
      };
    });

    /** Reads a long body as one who takes its time: each piece is only looked at later. */
    async function readSlowly(from: HttpPool): Promise<{ get: Get; largest: number }> {
      const get = new Get();
      get.isWanted = false;
      let at = 0;
      let largest = 0;
      get.onPiece = (bytes) => {
        void (async () => {
          for (let i = 0; i < TURNS; i++) await turn();
          expect(bytes.equals(LONG.subarray(at, at + bytes.length))).to.equal(true);
          at += bytes.length;
          largest = Math.max(largest, bytes.length);
          expect(get.state).to.equal('under_way');
          get.connection?.resume();
        })();
      };
      await get.in(from);
      return { get, largest };
    }

    it('leave a piece alone until its reader goes on', async () => {
      const { get, largest } = await readSlowly(pool);
      expect(get.state).to.equal('ended');
      expect(Buffer.concat(get.chunks).equals(LONG)).to.equal(true);
      expect(largest).to.equal(SLAB_BYTES);
    });

    it('read in smaller pieces when all slabs are out', async () => {
      const slabs = new ReadSlabs(SLAB_BYTES, 1);
      slabs.take();
      const { get, largest } = await readSlowly(server.pool({}, slabs));
      expect(Buffer.concat(get.chunks).equals(LONG)).to.equal(true);
      expect(largest).to.be.below(SLAB_BYTES);
    });

    it('have no slab without a request', async () => {
      const slabs = new ReadSlabs(SLAB_BYTES, 1);
      const own = server.pool({}, slabs);
      await readSlowly(own);
      const slab = slabs.take();
      expect(slab).to.have.length(SLAB_BYTES);
      // And what is read next is not read into it.
      slab?.fill(7);
      serve = (socket) => void socket.write(`${OK}Content-Length: 3\r\n\r\nabc`);
      expect((await new Get().in(own)).body).to.equal('abc');
      expect(server.sockets).to.have.length(1);
      expect(slab?.every((byte) => byte === 7)).to.equal(true);
    });

    it('let go of a slab with the connection, and use it no more where it has a reader', async () => {
      const slabs = new ReadSlabs(SLAB_BYTES, 1);
      const get = new Get();
      const pieces: Buffer[] = [];
      get.onPiece = (bytes) => {
        pieces.push(bytes);
        get.isWanted = bytes.length < SLAB_BYTES;
      };
      server.pool({}, slabs).start(get);
      await until(() => !get.isWanted);
      expect(slabs.take()).to.equal(undefined);
      get.connection?.abort();
      let next: Buffer | undefined;
      await until(() => (next = slabs.take()) !== undefined);
      expect(next?.buffer).to.not.equal(pieces.at(-1)?.buffer);
    });
  });

  describe('over TLS', () => {
    const folder = useTempFolderOnce('http-client');
    const secure = useOnce(async () => {
      const { certFile, keyFile } = await makeCertificate(folder(), 'http-client');
      const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
      const onPiece = (socket: Socket): void => {
        socket.write(`${OK}Content-Length: ${body.length}\r\n\r\n${body}`);
      };
      return RawServer.start(onPiece, { cert, key });
    }, 'stop');
    let body: string;

    it('carry requests, and leave pieces alone until their reader goes on', async () => {
      const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      try {
        const trusting = secure().pool();
        body = 'abc';
        for (let i = 0; i < 3; i++) expect((await new Get().in(trusting)).body).to.equal('abc');
        expect(secure().sockets).to.have.length(1);
        body = LONG.toString('latin1').replace(/[^\0-\x7f]/g, 'x');
        const get = new Get();
        get.isWanted = false;
        const looked: string[] = [];
        get.onPiece = (bytes) => {
          void (async () => {
            for (let i = 0; i < TURNS; i++) await turn();
            looked.push(bytes.toString('latin1'));
            get.connection?.resume();
          })();
        };
        await get.in(trusting);
        expect(looked.join('') === body).to.equal(true);
        trusting.destroy();
      } finally {
        if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
        else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
      }
    });

    it('are refused where the certificate is not trusted', async () => {
      const get = await new Get().in(secure().pool());
      expect(get.error).to.have.property('code', 'DEPTH_ZERO_SELF_SIGNED_CERT');
      expect(get.connection).to.equal(undefined);
    });

    it('fail in time where the server does not go on with the handshake', async () => {
      const mute = await RawServer.start(() => undefined);
      const origin = new URL(`https://127.0.0.1:${mute.port}`);
      const get = await new Get().in(mute.pool({ origin, connectTimeoutMs: 50 }));
      expect(get.error).to.have.property('name', 'TimeoutError');
      await mute.stop();
    });
  });
});
