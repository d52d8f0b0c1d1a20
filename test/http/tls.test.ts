import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import type { ExchangeHandler } from '../../src/http/exchange.js';
import { prepareHttp, serveHttp, type HttpServer } from '../../src/http/server.js';
import { makeCertificate } from '../support/certificate.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;

describeWith([program('openssl')], 'edge: TLS', () => {
  const folder = useTempFolderOnce('tls');
  const files = useOnce(() => makeCertificate(folder(), 'localhost'));
  let server: HttpServer;
  const sockets: TLSSocket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });

  async function serve(handler: ExchangeHandler): Promise<void> {
    server = await serveHttp(
      {
        host: '127.0.0.1',
        port: 0,
        tls: files(),
        limits: { idleGraceMs: 10 },
        onHandlerError: () => undefined,
      },
      handler,
    );
  }

  async function connect(): Promise<TLSSocket> {
    const socket = connectTls({
      host: '127.0.0.1',
      port: server.port,
      ca: readFileSync(files().certFile),
    });
    sockets.push(socket);
    await once(socket, 'secureConnect');
    return socket;
  }

  /** Text that stands in both, with what is behind it. */
  async function untilText(socket: TLSSocket, end: RegExp): Promise<string> {
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
    await until(() => end.test(text));
    socket.removeAllListeners('data');
    return text;
  }

  function body(bytes: number): Buffer {
    const data = Buffer.alloc(bytes);
    for (let at = 0; at < bytes; at += 4) data.writeUInt32LE(at, at);
    return data;
  }

  it('takes and gives bodies as they are, and knows the client', async () => {
    const data = body(24 * MIB);
    await serve(async (exchange) => {
      const hash = createHash('sha256');
      for await (const piece of exchange.body) hash.update(piece);
      await exchange.respond({
        status: 200,
        headers: [
          ['x-hash', hash.digest('hex')],
          ['x-remote', exchange.request.remoteAddress],
        ],
        body: (async function* () {
          for (let at = 0; at < data.length; at += MIB) {
            yield await Promise.resolve(data.subarray(at, at + MIB));
          }
        })(),
        contentLength: data.length,
      });
    });
    const url = `https://127.0.0.1:${server.port}/`;
    const request = https.request(url, { method: 'PUT', ca: readFileSync(files().certFile) });
    request.end(data);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // A reader that is slow at first.
    response.pause();
    await new Promise((resolve) => setImmediate(resolve));
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).equals(data)).to.equal(true);
    expect(response.headers['x-remote']).to.equal('127.0.0.1');
    expect(response.headers['x-hash']).to.equal(createHash('sha256').update(data).digest('hex'));
  });

  it('keeps connections, and closes them with an answer when it drains', async () => {
    await serve(async (exchange) => {
      await exchange.respond({ status: 200, headers: [], body: 'answer' });
    });
    const socket = await connect();
    const ask = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    socket.write(ask);
    expect(await untilText(socket, /answer$/)).not.to.match(/^Connection: close/im);
    server.stopListening();
    const ended = once(socket, 'end');
    socket.write(ask);
    expect(await untilText(socket, /answer$/)).to.match(/^Connection: close/im);
    await ended;
  });

  it('answers an upload early, and the client can read the answer', async () => {
    await serve(async (exchange) => {
      await exchange.respond({ status: 403, headers: [], body: 'refused' });
    });
    const socket = await connect();
    const ended = once(socket, 'end');
    socket.write(`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${999 * MIB}\r\n\r\n`);
    socket.write(body(MIB));
    expect(await untilText(socket, /refused$/)).to.match(/^HTTP\/1\.1 403/);
    socket.end();
    await ended;
  });

  it('notices that a client left', async () => {
    let aborted = false;
    await serve(async (exchange) => {
      exchange.signal.addEventListener('abort', () => {
        aborted = true;
      });
      await new Promise(() => undefined);
    });
    const socket = await connect();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => server.inFlight === 1);
    socket.destroy();
    await until(() => aborted);
  });

  it('speaks nothing else', async () => {
    await serve(() => undefined);
    const socket = connectTcp(server.port, '127.0.0.1');
    let text = '';
    socket.on('data', (piece: Buffer) => (text += piece.toString('latin1')));
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'close');
    expect(text).not.to.match(/^HTTP/);
  });

  it('refuses files that cannot be used, before it listens', async () => {
    await serve(() => undefined);
    const bad = { certFile: files().keyFile, keyFile: files().keyFile };
    const options = { host: '127.0.0.1', port: 0, onHandlerError: () => undefined };
    expect(() => prepareHttp({ ...options, tls: bad }, () => undefined)).to.throw(Error);
  });
});
