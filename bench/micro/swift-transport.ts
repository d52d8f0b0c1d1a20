import { Pool, type Dispatcher } from 'undici';
import type { CallContext } from '../../src/backend/backend.js';
import { openTransport } from '../../src/backend/swift/net/open-transport.js';
import type { SwiftRequest, SwiftTransport } from '../../src/backend/swift/transport.js';
import { cancelledBy } from '../../src/lib/cancellation.js';
import { forkServer, HOST, LARGE_BYTES, largeBody } from './servers.js';
import type { Row, Subject } from './subject.js';

const CONCURRENCY = 8;
const CONTEXT: CallContext = { requestId: 'tx0123456789abcdef01234-0065a1b2c3' };
const SMALL_PATH = '/v1/AUTH_test/photos/2026/small';
type Body = Buffer | typeof largeBody;

/** CPU of requests to a Swift that does nothing: undici as it comes, and the transport. */
export async function open(): Promise<Subject> {
  const server = await forkServer('swift');
  const origin = `http://${HOST}:${server.port}`;
  const pool = new Pool(origin, { connections: CONCURRENCY });
  const credentialFor = () => ({ user: 'test:tester', key: 'testing' });
  const unsigned = openTransport({ endpoints: [origin], credentialFor });
  const signed = openTransport({ endpoints: [origin], credentialFor, filterSecret: 'secret' });
  const kib = Buffer.alloc(1024, 'x');
  const put = { method: 'PUT' } as const;
  const small = (name: string, call: Row['call']): Row => {
    return { name, calls: 4000, inFlight: CONCURRENCY, call };
  };
  const large = (name: string, call: Row['call']): Row => {
    return { name, calls: 16, inFlight: CONCURRENCY, bytes: LARGE_BYTES, call };
  };
  const largePut = () => ({ ...put, body: { source: largeBody(), size: LARGE_BYTES } });
  const rows = [
    small('GET 1 KiB, undici request()', () => plain(pool, 'GET', SMALL_PATH)),
    small('GET 1 KiB, transport', () => request(unsigned, {})),
    small('GET 1 KiB, signed', () => request(signed, {})),
    small('GET 1 KiB, signed, abortable', () => request(signed, { context: cancellable() })),
    small('HEAD, signed', () => request(signed, { method: 'HEAD' })),
    small('PUT 1 KiB, undici request()', () => plain(pool, 'PUT', SMALL_PATH, kib)),
    small('PUT 1 KiB, signed', () => request(signed, { ...put, body: kib })),
    large('GET 8 MiB, undici request()', () => plain(pool, 'GET', '/large')),
    large('GET 8 MiB, transport', () => request(signed, { object: 'large' })),
    large('PUT 8 MiB, undici request()', () => plain(pool, 'PUT', SMALL_PATH, largeBody)),
    large('PUT 8 MiB, transport', () => request(signed, largePut())),
  ];
  return {
    steps: [rows],
    close: async () => {
      await Promise.all([pool.destroy(), signed.close(), unsigned.close()]);
      server.close();
    },
  };
}

function cancellable(): CallContext {
  const { requestId } = CONTEXT;
  return { requestId, cancellation: cancelledBy(new AbortController().signal) };
}

async function request(transport: SwiftTransport, part: Partial<SwiftRequest>): Promise<void> {
  const place = { account: 'AUTH_test', container: 'photos', object: '2026/small' };
  const response = await transport.request({ context: CONTEXT, method: 'GET', ...place, ...part });
  await drain(response.body);
}

/** undici's own way to do the same. */
async function plain(pool: Pool, method: 'GET' | 'PUT', path: string, body?: Body): Promise<void> {
  // With an announced length, plain and streamed bodies are the same on the wire.
  const headers = body === largeBody ? { 'content-length': String(LARGE_BYTES) } : {};
  const given = typeof body === 'function' ? body() : body;
  const options = { method, path, headers, body: given } as Dispatcher.RequestOptions;
  await drain((await pool.request(options)).body);
}

/** Reading is what is measured. */
async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of body) if (chunk.length === 0) throw new Error('nothing was read');
}
