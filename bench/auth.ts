import { performance } from 'node:perf_hooks';
import { createDigestFactory } from '../src/digest/index.js';
import type { RequestHead } from '../src/http/exchange.js';
import { createAuthenticator } from '../src/s3/auth/authenticate.js';
import { rosterCredentials } from '../src/s3/auth/roster.js';
import { presignQuery, sha256Hex, signHeaders } from '../test/support/sigv4.js';
import { requestHead } from '../test/support/requests.js';

/**
 * What a signature costs the event loop, with the day's key derived: node dist/bench/auth.js
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

const REQUESTS: readonly (readonly [name: string, request: RequestHead])[] = [
  ['GET object', signed('GET', '/bucket/some/folder/key.txt')],
  ['GET object, escaped key', signed('GET', '/bucket/f%C3%BCr%20alle/100%25.txt')],
  ['list objects', signed('GET', '/bucket', 'list-type=2&max-keys=1000&prefix=some%2Ffolder%2F')],
  ['presigned GET', presigned()],
];

const digests = createDigestFactory();
const authenticator = createAuthenticator({
  credentials: rosterCredentials([{ ...IDENTITY, account: 'AUTH_test', role: 'owner' }]),
  region: IDENTITY.region,
  digests,
});

function medianUs(request: RequestHead): number {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    for (let call = 0; call < CALLS; call++) void authenticator.authenticate(request);
    rounds.push(((performance.now() - startedAt) * 1000) / CALLS);
  }
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? NaN;
}

for (const [name, request] of REQUESTS) {
  console.log(`${name.padEnd(28)} ${medianUs(request).toFixed(2)} µs`);
}
