import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Exchange, HeaderList } from '../src/http/exchange.js';
import { serveHttp } from '../src/http/server.js';
import { createApp, ListenSocket } from '../src/http/uws.js';

/**
 * CPU of a server process per request at the edge alone: the library as it comes against
 * serveHttp. The clients are in this process, so rates say little: node dist/bench/edge.js
 */

const HOST = '127.0.0.1';
const MIB = 1024 * 1024;
const CONNECTIONS = 16;
const SMALL_REQUESTS = 120_000;
const LARGE_REQUESTS = 60;
const LARGE_BYTES = 8 * MIB;

const RESPONSE_HEADERS: HeaderList = [
  ['x-amz-request-id', 'tx0123456789abcdef01234-0065a1b2c3'],
  ['x-amz-id-2', 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA='],
  ['Server', 'Ringway'],
  ['ETag', '"9a0364b9e99bb480dd25e1f0284c8555"'],
  ['Last-Modified', 'Wed, 21 Oct 2015 07:28:00 GMT'],
  ['Content-Type', 'application/octet-stream'],
];
const KIB_BODY = Buffer.alloc(1024, 'x');
const CHUNK = Buffer.alloc(512 * 1024, 'x');

/** The head of a request as a current SDK sends it. */
function head(method: string, path: string, bodyBytes = 0): string {
  const length = bodyBytes > 0 ? `Content-Length: ${bodyBytes}\r\n` : '';
  return (
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n${length}` +
    'User-Agent: aws-sdk-js/3.1169.0 ua/2.1 os/linux lang/js md/nodejs#20.20.2 api/s3#3.1169.0\r\n' +
    'Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/' +
    'aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, ' +
    'Signature=fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024\r\n' +
    'X-Amz-Content-Sha256: UNSIGNED-PAYLOAD\r\nX-Amz-Date: 20130524T000000Z\r\n' +
    'Accept-Encoding: identity\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n'
  );
}

async function* largeBody() {
  for (let sent = 0; sent < LARGE_BYTES; sent += CHUNK.length) {
    await Promise.resolve();
    yield CHUNK;
  }
}

const routes: Readonly<Record<string, (exchange: Exchange) => void | Promise<void>>> = {
  '/empty': (exchange) => {
    void exchange.respond({ status: 200, headers: [] });
  },
  '/kib': (exchange) => {
    void exchange.respond({ status: 200, headers: RESPONSE_HEADERS, body: KIB_BODY });
  },
  '/async': async (exchange) => {
    await new Promise(setImmediate);
    await exchange.respond({ status: 200, headers: RESPONSE_HEADERS, body: KIB_BODY });
  },
  '/put': async (exchange) => {
    await exchange.body.collect(MIB);
    await exchange.respond({ status: 200, headers: RESPONSE_HEADERS });
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

async function serve(kind: string): Promise<void> {
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.(kind === 'edge' ? await serveEdge() : serveBare());
}

async function serveEdge(): Promise<number> {
  const onHandlerError = (error: unknown) => {
    console.error(error);
  };
  const server = await serveHttp({ host: HOST, port: 0, onHandlerError }, (exchange) =>
    routes[exchange.request.rawPath]?.(exchange),
  );
  return server.port;
}

function serveBare(): number {
  const app = createApp(undefined);
  app.any('/*', (res) => {
    res.end();
  });
  return ListenSocket.open(app, HOST, 0, true)?.port ?? 0;
}

interface Load {
  readonly name: string;
  readonly server: 'bare' | 'edge';
  readonly request: Buffer;
  readonly count: number;
  readonly unit: 'µs' | 'ms';
  /** Requests sent in one write; more than one only where the answer is synchronous. */
  readonly depth?: number;
}

function small(name: string, server: Load['server'], request: string, depth = 1): Load {
  const count = SMALL_REQUESTS;
  return { name, server, request: Buffer.from(request), count, unit: 'µs', depth };
}

const LOADS: readonly Load[] = [
  small('library alone, empty answer', 'bare', head('GET', '/empty')),
  small('library alone, 8 pipelined', 'bare', head('GET', '/empty'), 8),
  small('GET, empty answer', 'edge', head('GET', '/empty')),
  small('GET, empty answer, 8 pipelined', 'edge', head('GET', '/empty'), 8),
  small('GET 1 KiB, 6 headers', 'edge', head('GET', '/kib')),
  small('GET 1 KiB, 6 headers, 8 pipelined', 'edge', head('GET', '/kib'), 8),
  small('HEAD 1 KiB, 6 headers', 'edge', head('HEAD', '/kib')),
  small('GET 1 KiB, answered in a later turn', 'edge', head('GET', '/async')),
  small('PUT 1 KiB', 'edge', head('PUT', '/put', 1024) + 'x'.repeat(1024)),
  {
    name: 'GET 8 MiB in 512 KiB chunks',
    server: 'edge',
    request: Buffer.from(head('GET', '/large')),
    count: LARGE_REQUESTS,
    unit: 'ms',
  },
  {
    name: 'PUT 8 MiB',
    server: 'edge',
    request: Buffer.concat([
      Buffer.from(head('PUT', '/upload', LARGE_BYTES)),
      Buffer.alloc(LARGE_BYTES),
    ]),
    count: LARGE_REQUESTS,
    unit: 'ms',
  },
];

/** One kept connection: sends the next batch when the bytes of the former's answers are there. */
async function client(port: number, load: Load, batches: number, answerBytes: number) {
  const socket = connect(port, HOST).setNoDelay(true);
  const { depth = 1, request } = load;
  const batch = depth === 1 ? request : Buffer.concat(Array<Buffer>(depth).fill(request));
  let left = batches;
  let received = 0;
  socket.write(batch);
  socket.on('data', (data) => {
    received += data.length;
    if (received < answerBytes * depth) return;
    received = 0;
    if (--left === 0) socket.end();
    else socket.write(batch);
  });
  await once(socket, 'close');
}

/** Length of one whole answer: what arrives until the connection is quiet. */
async function answerBytes(port: number, load: Load): Promise<number> {
  const socket = connect(port, HOST);
  let bytes = 0;
  socket.write(load.request);
  await new Promise<void>((resolve) => {
    let quiet = setTimeout(resolve, 500);
    socket.on('data', (data) => {
      bytes += data.length;
      clearTimeout(quiet);
      quiet = setTimeout(resolve, 300);
    });
  });
  socket.destroy();
  return bytes;
}

async function cpuMicros(server: ChildProcess): Promise<number> {
  server.send('cpu');
  const [usage] = (await once(server, 'message')) as [NodeJS.CpuUsage];
  return usage.user + usage.system;
}

async function measure(load: Load): Promise<string> {
  const server = fork(fileURLToPath(import.meta.url), [load.server]);
  const [port] = (await once(server, 'message')) as [number];
  const bytes = await answerBytes(port, load);
  const run = (requests: number) => {
    const batches = Math.ceil(requests / CONNECTIONS / (load.depth ?? 1));
    return Promise.all(
      Array.from({ length: CONNECTIONS }, () => client(port, load, batches, bytes)),
    );
  };
  await run(load.count / 5);
  const before = await cpuMicros(server);
  const startedAt = performance.now();
  await run(load.count);
  const seconds = (performance.now() - startedAt) / 1000;
  const micros = ((await cpuMicros(server)) - before) / load.count;
  server.kill();
  const cpu = load.unit === 'µs' ? micros.toFixed(1) : (micros / 1000).toFixed(2);
  const rate = (load.count / seconds).toFixed(0);
  return `${load.name.padEnd(40)} ${cpu.padStart(7)} ${load.unit} ${rate.padStart(8)} /s`;
}

const [kind] = process.argv.slice(2);
if (kind === 'edge' || kind === 'bare') {
  await serve(kind);
} else {
  for (const load of LOADS) {
    if (kind === undefined || load.name.includes(kind)) console.log(await measure(load));
  }
}
