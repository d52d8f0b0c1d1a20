import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Pool, type Dispatcher } from 'undici';
import type { CallContext } from '../src/backend/backend.js';
import { openTransport } from '../src/backend/swift/net/open-transport.js';
import type { SwiftRequest } from '../src/backend/swift/transport.js';
import { cancelledBy } from '../src/lib/cancellation.js';

/**
 * CPU of this process per request to a Swift that does nothing, in a process of its own: undici as
 * it comes against the transport. node dist/bench/swift-transport.js
 */

const HOST = '127.0.0.1';
const MIB = 1024 * 1024;
const LARGE_BYTES = 8 * MIB;
const CHUNK = Buffer.alloc(512 * 1024, 'x');
const CONCURRENCY = 8;
const SMALL_REQUESTS = 4_000;
const LARGE_REQUESTS = 16;
const ROUNDS = 4;
const CONTEXT = { requestId: 'tx0123456789abcdef01234-0065a1b2c3' };
const cancellable = (): CallContext => ({
  ...CONTEXT,
  cancellation: cancelledBy(new AbortController().signal),
});

/** The headers of Swift's answer to a GET of an object. */
const HEADERS = {
  'Content-Type': 'application/octet-stream',
  'X-Object-Meta-Name': 'value',
  Etag: '9a0364b9e99bb480dd25e1f0284c8555',
  'Last-Modified': 'Wed, 21 Oct 2015 07:28:01 GMT',
  'X-Timestamp': '1445412480.00000',
  'Accept-Ranges': 'bytes',
  'X-Trans-Id': 'tx0123456789abcdef01234-0065a1b2c3',
  'X-Openstack-Request-Id': 'tx0123456789abcdef01234-0065a1b2c3',
};

function serve(): void {
  const small = Buffer.alloc(1024, 'x');
  const large = Buffer.alloc(LARGE_BYTES, 'x');
  const server = createServer({ keepAliveTimeout: 60_000 });
  server.on('request', (request, response) => {
    request.resume();
    if (request.url?.startsWith('/auth') === true) {
      response.writeHead(200, { 'X-Auth-Token': 'AUTH_tk0123456789abcdef0123456789abcdef' }).end();
    } else if (request.method === 'PUT') {
      request.on('end', () => response.writeHead(201, { ...HEADERS, 'Content-Length': 0 }).end());
    } else {
      const body = request.url?.endsWith('large') === true ? large : small;
      response.writeHead(200, { ...HEADERS, 'Content-Length': body.length }).end(body);
    }
  });
  server.listen(0, HOST, () => process.send?.((server.address() as AddressInfo).port));
}

/** CPU of one operation in µs, the least of some rounds: others only ever add to it. */
async function measure(count: number, operation: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    let left = count;
    const before = process.cpuUsage();
    const worker = async (): Promise<void> => {
      while (left-- > 0) await operation();
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / count);
  }
  return least;
}

async function* largeBody() {
  for (let sent = 0; sent < LARGE_BYTES; sent += CHUNK.length) {
    yield await Promise.resolve(CHUNK);
  }
}

/** Reading is what is measured. */
function drain(chunk: Uint8Array): void {
  read += chunk.length;
}
let read = 0;

/** undici's own way to do the same. */
async function plain(pool: Pool, method: 'GET' | 'PUT', path: string, body?: Body): Promise<void> {
  // With an announced length, plain and streamed bodies are the same on the wire.
  const headers = body === largeBody ? { 'content-length': String(LARGE_BYTES) } : {};
  const given = typeof body === 'function' ? body() : body;
  const options = { method, path, headers, body: given } as Dispatcher.RequestOptions;
  const response = await pool.request(options);
  for await (const chunk of response.body) drain(chunk as Buffer);
}
type Body = Buffer | typeof largeBody;

async function run(child: ChildProcess): Promise<void> {
  const [port] = (await once(child, 'message')) as [number];
  const origin = `http://${HOST}:${port}`;
  const pool = new Pool(origin, { connections: CONCURRENCY });
  const credentialFor = () => ({ user: 'test:tester', key: 'testing' });
  const unsigned = openTransport({ endpoints: [origin], credentialFor });
  const signed = openTransport({ endpoints: [origin], credentialFor, filterSecret: 'secret' });
  const request = async (
    transport: typeof signed,
    part: Partial<SwiftRequest>,
    context: SwiftRequest['context'] = CONTEXT,
  ): Promise<void> => {
    const response = await transport.request({
      context,
      method: 'GET',
      account: 'AUTH_test',
      container: 'photos',
      object: '2026/small',
      ...part,
    });
    for await (const chunk of response.body) drain(chunk);
  };
  const path = '/v1/AUTH_test/photos/2026/small';
  const kib = Buffer.alloc(1024, 'x');
  const stream = () => ({ source: largeBody(), size: LARGE_BYTES });
  const rows: [string, number, () => Promise<void>][] = [
    ['GET 1 KiB, undici request()', SMALL_REQUESTS, () => plain(pool, 'GET', path)],
    ['GET 1 KiB, transport', SMALL_REQUESTS, () => request(unsigned, {})],
    ['GET 1 KiB, signed', SMALL_REQUESTS, () => request(signed, {})],
    ['GET 1 KiB, signed, abortable', SMALL_REQUESTS, () => request(signed, {}, cancellable())],
    ['HEAD, signed', SMALL_REQUESTS, () => request(signed, { method: 'HEAD' })],
    ['PUT 1 KiB, undici request()', SMALL_REQUESTS, () => plain(pool, 'PUT', path, kib)],
    ['PUT 1 KiB, signed', SMALL_REQUESTS, () => request(signed, { method: 'PUT', body: kib })],
    ['GET 8 MiB, undici request()', LARGE_REQUESTS, () => plain(pool, 'GET', '/large')],
    ['GET 8 MiB, transport', LARGE_REQUESTS, () => request(signed, { object: 'large' })],
    ['PUT 8 MiB, undici request()', LARGE_REQUESTS, () => plain(pool, 'PUT', path, largeBody)],
    [
      'PUT 8 MiB, transport',
      LARGE_REQUESTS,
      () => request(signed, { method: 'PUT', body: stream() }),
    ],
  ];
  for (const [name, count, operation] of rows) {
    if (!name.includes(process.argv[2] ?? '')) continue;
    const us = await measure(count, operation);
    const shown = count === SMALL_REQUESTS ? `${us.toFixed(1)} µs` : `${(us / 1000).toFixed(2)} ms`;
    console.log(`${name.padEnd(32)} ${shown.padStart(10)}`);
  }
  await Promise.all([pool.destroy(), signed.close(), unsigned.close()]);
}

if (process.argv[2] === 'serve') {
  serve();
} else {
  const child = fork(fileURLToPath(import.meta.url), ['serve']);
  await run(child);
  child.kill();
  if (read === 0) throw new Error('nothing was read');
}
