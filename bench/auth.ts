import { createChecksum } from '../src/digest/checksum.js';
import { createDigestFactory } from '../src/digest/index.js';
import type { RequestHead } from '../src/http/exchange.js';
import { createAuthenticator } from '../src/s3/auth/authenticate.js';
import { RosterCredentials } from '../src/s3/auth/principal.js';
import { requestHead, sizedBody } from '../test/support/requests.js';
import {
  presignQuery,
  seedOf,
  sha256Hex,
  signHeaders,
  signedChunks,
  Signer,
} from '../test/support/sigv4.js';
import { signHeadersV2 } from '../test/support/sigv2.js';

/**
 * CPU time of signatures, with the day's key derived, and of payloads: node dist/bench/auth.js
 * Target: 8 µs for a signed GET as the SDKs send it.
 */

const ROUNDS = 5;
const CALLS = 50_000;
const IDENTITY = { accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'secret', region: 'us-east-1' };
const HEADERS = {
  host: '127.0.0.1:8000',
  'amz-sdk-invocation-id': '3f0b7a6e-4f07-4a31-b1d2-3a2b6f7a9c11',
  'amz-sdk-request': 'attempt=1; max=3',
};
const UNSIGNED_HEADERS = {
  'user-agent': 'aws-sdk-js/3.1169.0 ua/2.1 os/linux#6.1 lang/js md/nodejs#20.20.2 api/s3',
  accept: '*/*',
  connection: 'keep-alive',
};

function signed(method: string, rawPath: string, rawQuery = ''): RequestHead {
  const headers = signHeaders(
    IDENTITY,
    { method, rawPath, rawQuery, headers: HEADERS },
    new Date(),
    sha256Hex(''),
  );
  const url = rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`;
  return requestHead(method, url, { ...UNSIGNED_HEADERS, ...headers });
}

function presigned(): RequestHead {
  const headers = { host: HEADERS.host };
  const request = { method: 'GET', rawPath: '/bucket/some/key.txt', headers };
  const query = presignQuery(IDENTITY, request, new Date(), 3600);
  return requestHead('GET', `${request.rawPath}?${query}`, { ...UNSIGNED_HEADERS, ...headers });
}

function signedV2(rawPath: string): RequestHead {
  const headers = { ...HEADERS, date: new Date().toUTCString() };
  const signedHeaders = signHeadersV2(IDENTITY, { method: 'GET', rawPath, headers });
  return requestHead('GET', rawPath, { ...UNSIGNED_HEADERS, ...signedHeaders });
}

const REQUESTS: readonly (readonly [name: string, request: RequestHead])[] = [
  ['GET object', signed('GET', '/bucket/some/folder/key.txt')],
  ['GET object, escaped key', signed('GET', '/bucket/f%C3%BCr%20alle/100%25.txt')],
  ['list objects', signed('GET', '/bucket', 'list-type=2&max-keys=1000&prefix=some%2Ffolder%2F')],
  ['presigned GET', presigned()],
  ['GET object, version 2', signedV2('/bucket/some/folder/key.txt')],
];

const digests = createDigestFactory();
const authenticator = createAuthenticator({
  credentials: new RosterCredentials([{ ...IDENTITY, account: 'AUTH_test', role: 'owner' }]),
  region: IDENTITY.region,
  digests,
});

/** The CPU time of all threads: what a listener pays, whatever else the machine is doing. */
function cpuUsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function medianUs(request: RequestHead): number {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let call = 0; call < CALLS; call++) void authenticator.authenticate(request);
    rounds.push(cpuUsSince(before) / CALLS);
  }
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? NaN;
}

/** One upload with what the SDKs send: signed hash and CRC32; or framed, in chunks of 64 KiB. */
async function payloadUs(request: RequestHead, body: Buffer, calls: number): Promise<number> {
  const authentication = await authenticator.authenticate(request);
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) {
    const payload = authentication.openPayload(sizedBody(body, PIECE_BYTES));
    for await (const chunk of payload.source) if (chunk.length === 0) throw new Error('empty');
  }
  return cpuUsSince(before) / calls;
}

function upload(contentSha256: string, headers: Readonly<Record<string, string>>): RequestHead {
  const toSign = { method: 'PUT', rawPath: '/bucket/key', headers: { ...HEADERS, ...headers } };
  const signedHeaders = signHeaders(IDENTITY, toSign, NOW, contentSha256);
  return requestHead('PUT', '/bucket/key', signedHeaders);
}

function checksumOf(data: Buffer): string {
  const checksum = createChecksum('CRC32');
  checksum.update(data);
  return checksum.digest().toString('base64');
}

const PIECE_BYTES = 65_536;
const NOW = new Date();
const SMALL = Buffer.alloc(1024, 'x');
const LARGE = Buffer.alloc(16 * 1024 * 1024, 'x');

function plainUpload(data: Buffer): RequestHead {
  return upload(sha256Hex(data), { 'x-amz-checksum-crc32': checksumOf(data) });
}

function chunkedUpload(data: Buffer): readonly [request: RequestHead, body: Buffer] {
  const headers = { 'x-amz-decoded-content-length': String(data.length) };
  const request = upload('STREAMING-AWS4-HMAC-SHA256-PAYLOAD', headers);
  const seed = seedOf(request.headers.get('authorization') ?? '');
  const chunks = Array.from({ length: data.length / PIECE_BYTES }, (_, i) =>
    data.subarray(i * PIECE_BYTES, (i + 1) * PIECE_BYTES),
  );
  return [request, signedChunks(new Signer(IDENTITY, NOW), seed, chunks)];
}

for (const [name, request] of REQUESTS) {
  console.log(`${name.padEnd(28)} ${medianUs(request).toFixed(2)} µs`);
}

const small = await payloadUs(plainUpload(SMALL), SMALL, 20_000);
console.log(`${'payload of 1 KiB'.padEnd(28)} ${small.toFixed(2)} µs`);
const [request, body] = chunkedUpload(LARGE);
const large = await payloadUs(request, body, 8);
console.log(`${'signed chunks, 16 MiB'.padEnd(28)} ${(LARGE.length / large).toFixed(0)} MB/s`);
await digests.close();
