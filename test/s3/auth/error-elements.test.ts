import { createHash } from 'node:crypto';
import { expect } from 'chai';

import type { RequestHead } from '../../../src/http/exchange.js';
import { errorResponse } from '../../../src/s3/request/failures.js';
import { requestHead, sizedBody } from '../../support/requests.js';
import { presignQueryV2, signHeadersV2 } from '../../support/sigv2.js';
import {
  presignQuery,
  seedOf,
  sha256Hex,
  signedChunks,
  Signer,
  unsignedChunks,
} from '../../support/sigv4.js';
import {
  DATE,
  EMPTY_SHA256,
  HOST,
  IDENTITY,
  NOW,
  s3Failure,
  signedRequest,
  verify,
  withHeader,
} from './support.js';

/** Each document as AWS answers it: message, elements and their order. */

const BODY = Buffer.from('body');
const OTHER_MD5 = createHash('md5').update('other').digest();
const UNSIGNED = 'UNSIGNED-PAYLOAD';
const UNSIGNED_TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const SIGNED_CHUNKS = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
const SETTINGS = { region: 'us-east-1', location: 'us-east-1', storageClasses: [] };
const REQUEST_ID = 'tx000000000000000000000-0000000000';

/** The elements between the declaration and the ids. */
async function documentOf(attempt: () => unknown): Promise<string> {
  const error = await s3Failure(attempt);
  const { body } = errorResponse(error, undefined, 'PUT', {
    requestId: REQUEST_ID,
    services: { settings: SETTINGS },
  });
  if (typeof body !== 'string') throw new Error('an error has no document');
  return body.replace(/^.*?<Error>/s, '').replace(/<RequestId>.*$/s, '');
}

/** Puts a body with these headers. */
async function put(
  headers: Readonly<Record<string, string>>,
  contentSha256 = UNSIGNED,
  body: Buffer = BODY,
): Promise<void> {
  const request = signedRequest('PUT', '/b/k', headers, contentSha256);
  await (await verify(request)).openPayload(sizedBody(body)).collect(1_000_000);
}

function elements(of: Readonly<Record<string, string>>): string {
  return Object.entries(of)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('');
}

function bytesOf(text: string): string {
  return Array.from(Buffer.from(text), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

const MISMATCH =
  'The request signature we calculated does not match the signature you provided. Check your key and signing method.';

describe('documents of authentication errors', () => {
  it('SignatureDoesNotMatch of version 4', async () => {
    const request = signedRequest('GET', '/b/k');
    const canonical = [
      'GET',
      '/b/other',
      '',
      `host:${HOST}`,
      `x-amz-content-sha256:${EMPTY_SHA256}`,
      'x-amz-date:20130524T000000Z',
      '',
      'host;x-amz-content-sha256;x-amz-date',
      EMPTY_SHA256,
    ].join('\n');
    const scope = '20130524/us-east-1/s3/aws4_request';
    const signed = `AWS4-HMAC-SHA256\n20130524T000000Z\n${scope}\n${sha256Hex(canonical)}`;
    expect(await documentOf(() => verify({ ...request, rawPath: '/b/other' }))).to.equal(
      elements({
        Code: 'SignatureDoesNotMatch',
        Message: MISMATCH,
        AWSAccessKeyId: IDENTITY.accessKey,
        StringToSign: signed,
        SignatureProvided: seedOf(request.headers.get('authorization') ?? ''),
        StringToSignBytes: bytesOf(signed),
        CanonicalRequest: canonical,
        CanonicalRequestBytes: bytesOf(canonical),
      }),
    );
  });

  it('SignatureDoesNotMatch of version 2', async () => {
    const date = DATE.toUTCString();
    const headers = signHeadersV2(IDENTITY, {
      method: 'GET',
      rawPath: '/b/k',
      headers: { host: HOST, date },
    });
    const signed = `GET\n\n\n${date}\n/b/other`;
    expect(await documentOf(() => verify(requestHead('GET', '/b/other', headers)))).to.equal(
      elements({
        Code: 'SignatureDoesNotMatch',
        Message: MISMATCH,
        AWSAccessKeyId: IDENTITY.accessKey,
        StringToSign: signed,
        SignatureProvided: (headers.authorization ?? '').split(':')[1] ?? '',
        StringToSignBytes: bytesOf(signed),
      }),
    );
  });

  it('SignatureDoesNotMatch of a chunk and of a trailer', async () => {
    const names = { 'x-amz-decoded-content-length': '4', 'x-amz-trailer': 'x-amz-checksum-crc32' };
    const request = signedRequest('PUT', '/b/k', names, `${SIGNED_CHUNKS}-TRAILER`);
    const seed = seedOf(request.headers.get('authorization') ?? '');
    const signer = new Signer(IDENTITY, DATE);
    const trailers = ['x-amz-checksum-crc32:AAAAAA=='];
    const body = signedChunks(signer, seed, [BODY], { trailers }).toString('latin1');
    const link = '20130524T000000Z\n20130524/us-east-1/s3/aws4_request';
    const first = signer.signChunk(seed, BODY);
    const last = signer.signChunk(first, Buffer.alloc(0));
    for (const [wrong, signed, provided] of [
      [
        body.replace('body', 'bodY'),
        `AWS4-HMAC-SHA256-PAYLOAD\n${link}\n${seed}\n${EMPTY_SHA256}\n${sha256Hex('bodY')}`,
        first,
      ],
      [
        body.replace('AAAAAA==', 'BAAAAA=='),
        `AWS4-HMAC-SHA256-TRAILER\n${link}\n${last}\n${sha256Hex('x-amz-checksum-crc32:BAAAAA==\n')}`,
        signer.signTrailer(last, 'x-amz-checksum-crc32:AAAAAA==\n'),
      ],
    ] as const) {
      const authentication = await verify(request);
      const payload = authentication.openPayload(sizedBody(Buffer.from(wrong, 'latin1')));
      const document = await documentOf(() => payload.collect(1000));
      expect(document).to.match(
        /<CanonicalRequest>PUT\n\/b\/k\n[^]*<\/CanonicalRequest><CanonicalRequestBytes>50 55 54 0a 2f 62/,
      );
      expect(document.replace(/<CanonicalRequest>[^]*/, '')).to.equal(
        elements({
          Code: 'SignatureDoesNotMatch',
          Message: MISMATCH,
          AWSAccessKeyId: IDENTITY.accessKey,
          StringToSign: signed,
          SignatureProvided: provided,
          StringToSignBytes: bytesOf(signed),
        }),
      );
    }
  });

  it('SignatureDoesNotMatch without the bytes of what is long', async () => {
    const request = signedRequest('GET', '/b/k', { 'x-amz-meta-long': 'v'.repeat(9000) });
    const document = await documentOf(() => verify({ ...request, rawPath: '/b/other' }));
    expect(document).to.contain('<StringToSignBytes>').and.not.to.contain('CanonicalRequestBytes');
  });

  const NAMES: readonly (readonly [what: string, request: RequestHead, document: string])[] = [
    [
      'InvalidAccessKeyId',
      requestHead('GET', '/b', {
        host: HOST,
        date: DATE.toUTCString(),
        authorization: 'AWS NOBODY:c2lnbmF0dXJl',
      }),
      elements({
        Code: 'InvalidAccessKeyId',
        Message: 'The AWS Access Key Id you provided does not exist in our records.',
        AWSAccessKeyId: 'NOBODY',
      }),
    ],
    [
      'AccessDenied for headers that are not signed',
      withHeader(signedRequest('GET', '/b'), 'x-amz-meta-a', '1'),
      elements({
        Code: 'AccessDenied',
        Message: 'There were headers present in the request which were not signed',
        HeadersNotSigned: 'x-amz-meta-a',
      }),
    ],
    [
      'InvalidArgument for a hash that is none',
      withHeader(signedRequest('GET', '/b'), 'x-amz-content-sha256', 'invalid'),
      elements({
        Code: 'InvalidArgument',
        Message:
          'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, STREAMING-UNSIGNED-PAYLOAD-TRAILER or a valid sha256 value.',
        ArgumentName: 'x-amz-content-sha256',
        ArgumentValue: 'invalid',
      }),
    ],
    [
      'RequestTimeTooSkewed',
      signedRequest('GET', '/b', {}, EMPTY_SHA256, new Date(NOW - 1_800_000)),
      elements({
        Code: 'RequestTimeTooSkewed',
        Message: 'The difference between the request time and the current time is too large.',
        RequestTime: '20130523T233000Z',
        ServerTime: '2013-05-24T00:00:00Z',
        MaxAllowedSkewMilliseconds: '900000',
      }),
    ],
    [
      'AccessDenied for a URL of version 4 that has expired',
      requestHead(
        'GET',
        `/b?${presignQuery(IDENTITY, { method: 'GET', rawPath: '/b', headers: { host: HOST } }, new Date(NOW - 60_000), 60)}`,
        { host: HOST },
      ),
      elements({
        Code: 'AccessDenied',
        Message: 'Request has expired',
        'X-Amz-Expires': '60',
        Expires: '2013-05-24T00:00:00Z',
        ServerTime: '2013-05-24T00:00:00Z',
      }),
    ],
    [
      'AccessDenied for a URL of version 2 that has expired',
      requestHead(
        'GET',
        `/b?${presignQueryV2(IDENTITY, { method: 'GET', rawPath: '/b', headers: { host: HOST } }, DATE)}`,
        { host: HOST },
      ),
      elements({
        Code: 'AccessDenied',
        Message: 'Request has expired',
        Expires: '2013-05-24T00:00:00Z',
        ServerTime: '2013-05-24T00:00:00Z',
      }),
    ],
  ];
  for (const [what, request, document] of NAMES) {
    it(what, async () => {
      expect(await documentOf(() => verify(request))).to.equal(document);
    });
  }
});

describe('documents of errors of a body', () => {
  const md5 = OTHER_MD5.toString('base64');
  const chunked = (decoded: number): Record<string, string> => ({
    'x-amz-decoded-content-length': String(decoded),
  });
  const CASES: readonly (readonly [
    what: string,
    attempt: () => Promise<void>,
    document: string,
  ])[] = [
    [
      'BadDigest of an MD5, which AWS tells in hex and in base64',
      () => put({ 'content-md5': md5 }),
      elements({
        Code: 'BadDigest',
        Message: 'The Content-MD5 you specified did not match what we received.',
        ExpectedDigest: OTHER_MD5.toString('hex'),
        CalculatedDigest: createHash('md5').update(BODY).digest('base64'),
      }),
    ],
    [
      'BadDigest of a checksum',
      () => put({ 'x-amz-checksum-crc32': 'AAAAAA==' }),
      elements({
        Code: 'BadDigest',
        Message: 'The CRC32 you specified did not match the calculated checksum.',
      }),
    ],
    [
      'InvalidDigest',
      () => put({ 'content-md5': 'invalid' }),
      elements({
        Code: 'InvalidDigest',
        Message: 'The Content-MD5 you specified was invalid.',
        'Content-MD5': 'invalid',
      }),
    ],
    [
      'XAmzContentSHA256Mismatch, with the hash as it was sent',
      () => put({}, EMPTY_SHA256.toUpperCase()),
      elements({
        Code: 'XAmzContentSHA256Mismatch',
        Message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
        ClientComputedContentSHA256: EMPTY_SHA256.toUpperCase(),
        S3ComputedContentSHA256: sha256Hex(BODY),
      }),
    ],
    [
      'IncompleteBody of more bytes than were announced',
      () => put(chunked(2), UNSIGNED_TRAILER, unsignedChunks([BODY])),
      elements({
        Code: 'IncompleteBody',
        Message:
          'You did not provide the number of bytes specified by the Content-Length HTTP header',
        NumberBytesExpected: '2',
        NumberBytesProvided: '4',
      }),
    ],
    [
      'IncompleteBody of fewer',
      () => put(chunked(9), UNSIGNED_TRAILER, unsignedChunks([BODY])),
      elements({
        Code: 'IncompleteBody',
        Message:
          'You did not provide the number of bytes specified by the Content-Length HTTP header',
        NumberBytesExpected: '9',
        NumberBytesProvided: '4',
      }),
    ],
    [
      'IncompleteBody of a body that is not framed',
      () => put(chunked(4), UNSIGNED_TRAILER),
      elements({
        Code: 'IncompleteBody',
        Message: 'The request body terminated unexpectedly',
      }),
    ],
    [
      'InvalidChunkSizeError',
      async () => {
        const request = signedRequest('PUT', '/b/k', chunked(8), SIGNED_CHUNKS);
        const seed = seedOf(request.headers.get('authorization') ?? '');
        const body = signedChunks(new Signer(IDENTITY, DATE), seed, [BODY, BODY]);
        await (await verify(request)).openPayload(sizedBody(body)).collect(1000);
      },
      elements({
        Code: 'InvalidChunkSizeError',
        Message: 'Only the last chunk is allowed to have a size less than 8192 bytes',
        Chunk: '2',
        BadChunkSize: '4',
      }),
    ],
  ];
  for (const [what, attempt, document] of CASES) {
    it(what, async () => {
      expect(await documentOf(attempt)).to.equal(document);
    });
  }
});
