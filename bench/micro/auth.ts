import { createChecksum } from '../../src/digest/checksum.js';
import { createDigestFactory } from '../../src/digest/index.js';
import type { RequestHead } from '../../src/http/exchange.js';
import { createAuthenticator } from '../../src/s3/auth/authenticate.js';
import { RosterCredentials } from '../../src/s3/auth/principal.js';
import { requestHead, sizedBody } from '../../test/support/requests.js';
import { signHeadersV2 } from '../../test/support/sigv2.js';
import {
  presignQuery,
  seedOf,
  sha256Hex,
  signHeaders,
  signedChunks,
  Signer,
} from '../../test/support/sigv4.js';
import type { Row, Subject } from './subject.js';

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
const PATH = '/bucket/some/folder/key.txt';
const PIECE_BYTES = 65_536;
const NOW = new Date();

/**
 * Signatures, with the day's key derived, and payloads as the SDKs send them: a signed hash and
 * CRC32, or framed in chunks of 64 KiB. Target: 8 µs for a signed GET.
 */
export function open(): Promise<Subject> {
  const digests = createDigestFactory();
  const authenticator = createAuthenticator({
    credentials: new RosterCredentials([{ ...IDENTITY, account: 'AUTH_test', role: 'owner' }]),
    region: IDENTITY.region,
    digests,
  });
  const verify = (name: string, request: RequestHead): Row => {
    return { name, calls: 50_000, call: () => void authenticator.authenticate(request) };
  };
  const payload = (name: string, calls: number, request: RequestHead, body: Buffer): Row => {
    const authentication = authenticator.authenticate(request);
    const call = async (): Promise<void> => {
      const opened = (await authentication).openPayload(sizedBody(body, PIECE_BYTES));
      for await (const chunk of opened.source) if (chunk.length === 0) throw new Error('empty');
    };
    return { name, calls, bytes: body.length, call };
  };
  const list = 'list-type=2&max-keys=1000&prefix=some%2Ffolder%2F';
  const small = Buffer.alloc(1024, 'x');
  const rows = [
    verify('GET object', signed(PATH)),
    verify('GET object, escaped key', signed('/bucket/f%C3%BCr%20alle/100%25.txt')),
    verify('list objects', signed('/bucket', list)),
    verify('presigned GET', presigned()),
    verify('GET object, version 2', signedV2()),
    payload('payload of 1 KiB', 4000, plainUpload(small), small),
    payload('signed chunks, 16 MiB', 2, ...chunkedUpload(Buffer.alloc(16 * 1024 * 1024, 'x'))),
  ];
  return Promise.resolve({ steps: [rows], close: () => digests.close() });
}

function signed(rawPath: string, rawQuery = ''): RequestHead {
  const toSign = { method: 'GET', rawPath, rawQuery, headers: HEADERS };
  const headers = signHeaders(IDENTITY, toSign, NOW, sha256Hex(''));
  const url = rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`;
  return requestHead('GET', url, { ...UNSIGNED_HEADERS, ...headers });
}

function presigned(): RequestHead {
  const headers = { host: HEADERS.host };
  const query = presignQuery(IDENTITY, { method: 'GET', rawPath: PATH, headers }, NOW, 3600);
  return requestHead('GET', `${PATH}?${query}`, { ...UNSIGNED_HEADERS, ...headers });
}

function signedV2(): RequestHead {
  const headers = { ...HEADERS, date: NOW.toUTCString() };
  const signedHeaders = signHeadersV2(IDENTITY, { method: 'GET', rawPath: PATH, headers });
  return requestHead('GET', PATH, { ...UNSIGNED_HEADERS, ...signedHeaders });
}

function upload(contentSha256: string, headers: Readonly<Record<string, string>>): RequestHead {
  const toSign = { method: 'PUT', rawPath: '/bucket/key', headers: { ...HEADERS, ...headers } };
  return requestHead('PUT', '/bucket/key', signHeaders(IDENTITY, toSign, NOW, contentSha256));
}

function plainUpload(data: Buffer): RequestHead {
  const checksum = createChecksum('CRC32');
  checksum.update(data);
  return upload(sha256Hex(data), { 'x-amz-checksum-crc32': checksum.digest().toString('base64') });
}

function chunkedUpload(data: Buffer): [request: RequestHead, body: Buffer] {
  const headers = { 'x-amz-decoded-content-length': String(data.length) };
  const request = upload('STREAMING-AWS4-HMAC-SHA256-PAYLOAD', headers);
  const seed = seedOf(request.headers.get('authorization') ?? '');
  const chunks = Array.from({ length: data.length / PIECE_BYTES }, (_, i) =>
    data.subarray(i * PIECE_BYTES, (i + 1) * PIECE_BYTES),
  );
  return [request, signedChunks(new Signer(IDENTITY, NOW), seed, chunks)];
}
