import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Exchange, HeaderList } from '../../src/http/exchange.js';
import { serveHttp } from '../../src/http/server.js';
import { createApp, ListenSocket } from '../../src/http/uws.js';

/** Where all servers listen. */
export const HOST = '127.0.0.1';
/** The body of what is called large. */
export const LARGE_BYTES = 8 * 1024 * 1024;
const CHUNK = Buffer.alloc(512 * 1024, 'x');
const KIB_BODY = Buffer.alloc(1024, 'x');

/** The body of a large request or answer, in chunks. */
export async function* largeBody() {
  for (let sent = 0; sent < LARGE_BYTES; sent += CHUNK.length) {
    yield await Promise.resolve(CHUNK);
  }
}

const S3_HEADERS: HeaderList = [
  ['x-amz-request-id', 'tx0123456789abcdef01234-0065a1b2c3'],
  ['x-amz-id-2', 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA='],
  ['Server', 'Ringway'],
  ['ETag', '"9a0364b9e99bb480dd25e1f0284c8555"'],
  ['Last-Modified', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ['Content-Type', 'application/octet-stream'],
];

const ROUTES: Readonly<Record<string, (exchange: Exchange) => void | Promise<void>>> = {
  '/empty': (exchange) => {
    void exchange.respond({ status: 200, headers: [] });
  },
  '/kib': (exchange) => {
    void exchange.respond({ status: 200, headers: S3_HEADERS, body: KIB_BODY });
  },
  '/async': async (exchange) => {
    await new Promise(setImmediate);
    await exchange.respond({ status: 200, headers: S3_HEADERS, body: KIB_BODY });
  },
  '/put': async (exchange) => {
    await exchange.body.collect(KIB_BODY.length);
    await exchange.respond({ status: 200, headers: S3_HEADERS });
  },
  '/large': async (exchange) => {
    const body = largeBody();
    await exchange.respond({ status: 200, headers: [], body, contentLength: LARGE_BYTES });
  },
  '/upload': async (exchange) => {
    let bytes = 0;
    for await (const chunk of exchange.body) bytes += chunk.length;
    await exchange.respond({ status: 200, headers: [], body: String(bytes) });
  },
};

/** The headers of Swift's answer to a GET of an object. */
const SWIFT_HEADERS = {
  'Content-Type': 'application/octet-stream',
  'X-Object-Meta-Name': 'value',
  Etag: '9a0364b9e99bb480dd25e1f0284c8555',
  'Last-Modified': 'Wed, 21 Oct 2015 07:28:01 GMT',
  'X-Timestamp': '1445412480.00000',
  'Accept-Ranges': 'bytes',
  'X-Trans-Id': 'tx0123456789abcdef01234-0065a1b2c3',
  'X-Openstack-Request-Id': 'tx0123456789abcdef01234-0065a1b2c3',
};

/** Servers by name; each tells its port. */
const SERVERS = {
  /** The HTTP library as it comes. */
  bare: () => {
    const app = createApp(undefined);
    app.any('/*', (res) => {
      res.end();
    });
    return Promise.resolve(ListenSocket.open(app, HOST, 0, true)?.port ?? 0);
  },
  /** `serveHttp`, with nothing behind it. */
  edge: async () => {
    const server = await serveHttp(
      { host: HOST, port: 0, onHandlerError: console.error },
      (exchange) => ROUTES[exchange.request.rawPath]?.(exchange),
    );
    return server.port;
  },
  /** A Swift that does nothing. */
  swift: async () => {
    const large = Buffer.alloc(LARGE_BYTES, 'x');
    const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      request.resume();
      if (request.url?.startsWith('/auth') === true) {
        response.writeHead(200, { 'X-Auth-Token': 'AUTH_tk0123456789abcdef0123456789abcdef' });
        response.end();
      } else if (request.method === 'PUT') {
        const headers = { ...SWIFT_HEADERS, 'Content-Length': 0 };
        request.on('end', () => response.writeHead(201, headers).end());
      } else {
        const body = request.url?.endsWith('large') === true ? large : KIB_BODY;
        response.writeHead(200, { ...SWIFT_HEADERS, 'Content-Length': body.length }).end(body);
      }
    });
    await once(server.listen(0, HOST), 'listening');
    return (server.address() as AddressInfo).port;
  },
};

/** A server in a process of its own. */
export interface ForkedServer {
  readonly port: number;
  /** The CPU that its process has taken. */
  cpuUs(): Promise<number>;
  close(): void;
}

/** Starts a server in a process of its own, so that its CPU is told from ours. */
export async function forkServer(name: keyof typeof SERVERS): Promise<ForkedServer> {
  const child = fork(fileURLToPath(import.meta.url), [name]);
  const [port] = (await once(child, 'message')) as [number];
  return {
    port,
    cpuUs: async () => {
      child.send('cpu');
      const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
      return user + system;
    },
    close: () => child.kill(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.(await SERVERS[process.argv[2] as keyof typeof SERVERS]());
}
