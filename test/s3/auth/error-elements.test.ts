import { createHash } from 'node:crypto';
import { expect } from 'chai';

import type { RequestHead } from '../../../src/http/exchange.js';
import { errorResponse } from '../../../src/s3/request/failures.js';
import { sizedBody } from '../../support/requests.js';
import { seedOf, sha256Hex, signedChunks, Signer, unsignedChunks } from '../../support/sigv4.js';
import {
  DATE,
  EMPTY_SHA256,
  type Headers,
  HOST,
  IDENTITY,
  NOW,
  presignedRequest,
  presignedRequestV2,
  s3Failure,
  SIGNED_CHUNKS,
  signedRequest,
  signedRequestV2,
  UNSIGNED,
  UNSIGNED_TRAILER,
  verify,
  withHeader,
} from './support.js';

/** Each document as AWS answers it: message, elements and their order. */

const BODY = Buffer.from('body');
const OTHER_MD5 = createHash('md5').update('other').digest();
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
async function put(headers: Headers, contentSha256 = UNSIGNED, body: Buffer = BODY): Promise<void> {
  const request = signedRequest('PUT', '/b/k', headers, contentSha256);
  await (await verify(request)).openPayload(sizedBody(body)).collect(1_000_000);
}

function elements(
  Code: string,
  Message: string,
  others: Readonly<Record<string, string>> = {},
): string {
  return Object.entries({ Code, Message, ...others })
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('');
}

function mismatch(
  StringToSign: string,
  SignatureProvided: string,
  others: Readonly<Record<string, string>> = {},
): string {
  return elements(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    {
      AWSAccessKeyId: IDENTITY.accessKey,
      StringToSign,
      SignatureProvided,
      StringToSignBytes: bytesOf(StringToSign),
      ...others,
    },
  );
}

function bytesOf(text: string): string {
  return Array.from(Buffer.from(text), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

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
      mismatch(signed, seedOf(request.headers.get('authorization') ?? ''), {
        CanonicalRequest: canonical,
        CanonicalRequestBytes: bytesOf(canonical),
      }),
    );
  });

  it('SignatureDoesNotMatch of version 2', async () => {
    const request = signedRequestV2('GET', '/b/k');
    const signed = `GET\n\n\n${DATE.toUTCString()}\n/b/other`;
    const provided = request.headers.get('authorization')?.split(':')[1] ?? '';
    expect(await documentOf(() => verify({ ...request, rawPath: '/b/other' }))).to.equal(
      mismatch(signed, provided),
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
      const start = document.replace(/<CanonicalRequest>[^]*/, '');
      expect(start).to.equal(mismatch(signed, provided));
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
      signedRequestV2('GET', '/b', {}, { ...IDENTITY, accessKey: 'NOBODY' }),
      elements(
        'InvalidAccessKeyId',
        'The AWS Access Key Id you provided does not exist in our records.',
        { AWSAccessKeyId: 'NOBODY' },
      ),
    ],
    [
      'AccessDenied for headers that are not signed',
      withHeader(signedRequest('GET', '/b'), 'x-amz-meta-a', '1'),
      elements('AccessDenied', 'There were headers present in the request which were not signed', {
        HeadersNotSigned: 'x-amz-meta-a',
      }),
    ],
    [
      'InvalidArgument for a hash that is none',
      withHeader(signedRequest('GET', '/b'), 'x-amz-content-sha256', 'invalid'),
      elements(
        'InvalidArgument',
        'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, STREAMING-UNSIGNED-PAYLOAD-TRAILER or a valid sha256 value.',
        { ArgumentName: 'x-amz-content-sha256', ArgumentValue: 'invalid' },
      ),
    ],
    [
      'RequestTimeTooSkewed',
      signedRequest('GET', '/b', {}, EMPTY_SHA256, { date: new Date(NOW - 1_800_000) }),
      elements(
        'RequestTimeTooSkewed',
        'The difference between the request time and the current time is too large.',
        {
          RequestTime: '20130523T233000Z',
          ServerTime: '2013-05-24T00:00:00Z',
          MaxAllowedSkewMilliseconds: '900000',
        },
      ),
    ],
    [
      'AccessDenied for a URL of version 4 that has expired',
      presignedRequest('GET', '/b', {}, { date: new Date(NOW - 60_000), expiresS: 60 }),
      elements('AccessDenied', 'Request has expired', {
        'X-Amz-Expires': '60',
        Expires: '2013-05-24T00:00:00Z',
        ServerTime: '2013-05-24T00:00:00Z',
      }),
    ],
    [
      'AccessDenied for a URL of version 2 that has expired',
      presignedRequestV2('GET', '/b', {}, DATE),
      elements('AccessDenied', 'Request has expired', {
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
  const chunked = (decoded: number): Headers => ({
    'x-amz-decoded-content-length': String(decoded),
  });
  const wrongSize = (expected: number): string =>
    elements(
      'IncompleteBody',
      'You did not provide the number of bytes specified by the Content-Length HTTP header',
      { NumberBytesExpected: String(expected), NumberBytesProvided: '4' },
    );
  type Case = readonly [what: string, attempt: () => Promise<void>, document: string];
  const CASES: readonly Case[] = [
    [
      'BadDigest of an MD5, which AWS tells in hex and in base64',
      () => put({ 'content-md5': md5 }),
      elements('BadDigest', 'The Content-MD5 you specified did not match what we received.', {
        ExpectedDigest: OTHER_MD5.toString('hex'),
        CalculatedDigest: createHash('md5').update(BODY).digest('base64'),
      }),
    ],
    [
      'BadDigest of a checksum',
      () => put({ 'x-amz-checksum-crc32': 'AAAAAA==' }),
      elements('BadDigest', 'The CRC32 you specified did not match the calculated checksum.'),
    ],
    [
      'InvalidDigest',
      () => put({ 'content-md5': 'invalid' }),
      elements('InvalidDigest', 'The Content-MD5 you specified was invalid.', {
        'Content-MD5': 'invalid',
      }),
    ],
    [
      'XAmzContentSHA256Mismatch, with the hash as it was sent',
      () => put({}, EMPTY_SHA256.toUpperCase()),
      elements(
        'XAmzContentSHA256Mismatch',
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
        {
          ClientComputedContentSHA256: EMPTY_SHA256.toUpperCase(),
          S3ComputedContentSHA256: sha256Hex(BODY),
        },
      ),
    ],
    [
      'IncompleteBody of more bytes than were announced',
      () => put(chunked(2), UNSIGNED_TRAILER, unsignedChunks([BODY])),
      wrongSize(2),
    ],
    [
      'IncompleteBody of fewer',
      () => put(chunked(9), UNSIGNED_TRAILER, unsignedChunks([BODY])),
      wrongSize(9),
    ],
    [
      'IncompleteBody of a body that is not framed',
      () => put(chunked(4), UNSIGNED_TRAILER),
      elements('IncompleteBody', 'The request body terminated unexpectedly'),
    ],
    [
      'InvalidChunkSizeError',
      async () => {
        const request = signedRequest('PUT', '/b/k', chunked(8), SIGNED_CHUNKS);
        const seed = seedOf(request.headers.get('authorization') ?? '');
        const body = signedChunks(new Signer(IDENTITY, DATE), seed, [BODY, BODY]);
        await (await verify(request)).openPayload(sizedBody(body)).collect(1000);
      },
      elements(
        'InvalidChunkSizeError',
        'Only the last chunk is allowed to have a size less than 8192 bytes',
        { Chunk: '2', BadChunkSize: '4' },
      ),
    ],
  ];
  for (const [what, attempt, document] of CASES) {
    it(what, async () => {
      expect(await documentOf(attempt)).to.equal(document);
    });
  }
});
