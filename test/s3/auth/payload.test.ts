import { createHash } from 'node:crypto';
import { expect } from 'chai';

import { createChecksum, type ChecksumAlgorithm } from '../../../src/digest/checksum.js';
import type { RequestBody } from '../../../src/http/exchange.js';
import type { Payload } from '../../../src/s3/auth/payload.js';
import type { PayloadOptions } from '../../../src/s3/auth/payload-plan.js';
import type { ErrorCode } from '../../../src/s3/errors.js';
import type { S3Error } from '../../../src/s3/s3-error.js';
import { bodyOf, sizedBody } from '../../support/requests.js';
import { seedOf, sha256Hex, signedChunks, Signer, unsignedChunks } from '../../support/sigv4.js';
import { DATE, EMPTY_SHA256, IDENTITY, s3Failure, signedRequest, verify } from './support.js';

const DATA = Buffer.from('A body of some length, which arrives in several pieces.');
const UNSIGNED = 'UNSIGNED-PAYLOAD';
const UNSIGNED_TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const ALGORITHMS: readonly ChecksumAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'];

type Headers = Readonly<Record<string, string>>;

function checksumOf(algorithm: ChecksumAlgorithm, data: Uint8Array): string {
  const checksum = createChecksum(algorithm);
  checksum.update(data);
  return checksum.digest().toString('base64');
}

const MD5 = createHash('md5').update(DATA).digest('base64');
const CRC32 = checksumOf('CRC32', DATA);
const OTHER_CRC32 = checksumOf('CRC32', Buffer.from('other'));

async function open(
  headers: Headers,
  contentSha256: string,
  body: RequestBody = sizedBody(DATA, 10),
  options: PayloadOptions = { md5: 'always' },
): Promise<Payload> {
  const request = signedRequest('PUT', '/bucket/key', headers, contentSha256);
  return (await verify(request)).openPayload(body, options);
}

/** Reads a payload that must fail. @returns the error, and what had been given out before */
async function readToFailure(payload: Payload): Promise<{ error: S3Error; given: Buffer }> {
  const chunks: Buffer[] = [];
  const error = await s3Failure(async () => {
    for await (const chunk of payload.source) chunks.push(Buffer.from(chunk));
  });
  return { error, given: Buffer.concat(chunks) };
}

/** A whole body that fails verification may never be given out whole. */
async function expectHeldBack(payload: Payload, code: ErrorCode): Promise<S3Error> {
  const { error, given } = await readToFailure(payload);
  expect(error.code, error.message).to.equal(code);
  expect(given.length).to.be.lessThan(DATA.length);
  expect(() => payload.digests()).to.throw();
  return error;
}

function chunked(trailers: readonly string[], headers: Headers = {}): Promise<Payload> {
  const names = trailers.map((trailer) => trailer.split(':')[0]).join(',');
  return open(
    { 'x-amz-decoded-content-length': String(DATA.length), 'x-amz-trailer': names, ...headers },
    UNSIGNED_TRAILER,
    sizedBody(unsignedChunks([DATA.subarray(0, 20), DATA.subarray(20)], { trailers }), 9),
  );
}

describe('payloads', () => {
  it('give the body and its MD5, whatever way it is read', async () => {
    for (const contentSha256 of [UNSIGNED, sha256Hex(DATA), sha256Hex(DATA).toUpperCase()]) {
      const collected = await open({}, contentSha256);
      expect(collected.size).to.equal(DATA.length);
      expect((await collected.collect(DATA.length)).equals(DATA)).to.be.true;
      const streamed = await open({}, contentSha256);
      const chunks: Buffer[] = [];
      for await (const chunk of streamed.source) chunks.push(Buffer.from(chunk));
      expect(Buffer.concat(chunks).equals(DATA)).to.be.true;
      for (const payload of [collected, streamed]) {
        expect(payload.digests()).to.deep.equal({
          md5: Buffer.from(MD5, 'base64').toString('hex'),
          checksum: undefined,
        });
        expect(() => payload.source).to.throw('once');
      }
    }
  });

  it('take the MD5 where somebody needs it, and say before whether they do', async () => {
    const kept: Headers = { 'x-amz-checksum-crc32': CRC32 };
    const compared: Headers = { 'content-md5': MD5 };
    const cases: [PayloadOptions['md5'], Headers, boolean][] = [
      [undefined, {}, false],
      [undefined, kept, false],
      [undefined, compared, true],
      ['with_checksum', {}, false],
      ['with_checksum', kept, true],
      ['with_checksum', compared, true],
      ['always', {}, true],
    ];
    for (const [md5, headers, takes] of cases) {
      const payload = await open(headers, UNSIGNED, sizedBody(DATA, 10), { md5 });
      expect(payload.takesMd5).to.equal(takes);
      await payload.collect(DATA.length);
      expect(payload.digests().md5 !== undefined).to.equal(takes);
    }
  });

  it('may be empty', async () => {
    for (const contentSha256 of [UNSIGNED, EMPTY_SHA256]) {
      const payload = await open({}, contentSha256, sizedBody(Buffer.alloc(0)));
      expect(await payload.collect(0)).to.have.length(0);
      expect(payload.digests().md5).to.equal('d41d8cd98f00b204e9800998ecf8427e');
    }
    const wrong = await open({}, sha256Hex('x'), sizedBody(Buffer.alloc(0)));
    const { code } = await s3Failure(() => wrong.collect(0));
    expect(code).to.equal('XAmzContentSHA256Mismatch');
  });

  it('have no size when none was announced', async () => {
    const payload = await open(
      {},
      sha256Hex(DATA),
      bodyOf([DATA.subarray(0, 9), DATA.subarray(9)]),
    );
    expect(payload.size).to.equal(undefined);
    expect((await payload.collect(1000)).equals(DATA)).to.be.true;
    const wrong = await open({}, EMPTY_SHA256, bodyOf([DATA.subarray(0, 9), DATA.subarray(9)]));
    await expectHeldBack(wrong, 'XAmzContentSHA256Mismatch');
  });

  it('are not collected beyond the limit', async () => {
    for (const body of [sizedBody(DATA), bodyOf([DATA])]) {
      const payload = await open({}, UNSIGNED, body);
      const { code } = await s3Failure(() => payload.collect(DATA.length - 1));
      expect(code).to.equal('MaxMessageLengthExceeded');
    }
  });

  it('that are shorter or longer than announced are never whole', async () => {
    const short = bodyOf([DATA.subarray(0, 10)], DATA.length);
    await expectHeldBack(await open({}, UNSIGNED, short), 'IncompleteBody');
    const long = bodyOf([DATA.subarray(0, 10), DATA], DATA.length);
    const { error } = await readToFailure(await open({}, UNSIGNED, long));
    expect(error.code).to.equal('IncompleteBody');
  });

  it('hold the last bytes back until the hash agrees', async () => {
    const error = await expectHeldBack(await open({}, EMPTY_SHA256), 'XAmzContentSHA256Mismatch');
    expect(error.details).to.deep.equal({
      ClientComputedContentSHA256: EMPTY_SHA256,
      S3ComputedContentSHA256: sha256Hex(DATA),
    });
  });

  it('verify Content-MD5', async () => {
    await (await open({ 'content-md5': MD5 }, UNSIGNED)).collect(1000);
    const other = createHash('md5').update('other').digest('base64');
    const error = await expectHeldBack(await open({ 'content-md5': other }, UNSIGNED), 'BadDigest');
    expect(error.details).to.deep.equal({ ExpectedDigest: other, CalculatedDigest: MD5 });
    const MALFORMED = ['', 'x', MD5.slice(0, -1), `${MD5}=`, MD5.replace('==', ''), CRC32];
    for (const value of MALFORMED) {
      const { code } = await s3Failure(() => open({ 'content-md5': value }, UNSIGNED));
      expect(code, value).to.equal('InvalidDigest');
    }
  });

  it('let go of the body when the reader leaves early', async () => {
    let released = false;
    const body = sizedBody(DATA, 10);
    const tracked: RequestBody = {
      ...body,
      contentLength: DATA.length,
      async *[Symbol.asyncIterator]() {
        try {
          yield* body;
        } finally {
          released = true;
        }
      },
    };
    for await (const chunk of (await open({}, UNSIGNED, tracked)).source) {
      expect(chunk).to.have.length(10);
      break;
    }
    expect(released).to.be.true;
  });

  it('pass on what breaks the body', async () => {
    const gone = (): Promise<never> => Promise.reject(new Error('gone'));
    const body: RequestBody = {
      ...sizedBody(DATA),
      collect: gone,
      [Symbol.asyncIterator]: () => ({ next: gone }),
    };
    const messages: string[] = [];
    const note = (error: unknown): number => messages.push((error as Error).message);
    await (await open({}, UNSIGNED, body)).collect(1000).catch(note);
    await (async () => {
      for await (const chunk of (await open({}, UNSIGNED, body)).source) expect(chunk).to.be.empty;
    })().catch(note);
    expect(messages).to.deep.equal(['gone', 'gone']);
  });
});

describe('checksums of payloads', () => {
  for (const algorithm of ALGORITHMS) {
    const name = `x-amz-checksum-${algorithm.toLowerCase()}`;
    const value = checksumOf(algorithm, DATA);
    const other = checksumOf(algorithm, Buffer.from('other'));

    it(`${algorithm} as a header`, async () => {
      const payload = await open({ [name]: value }, UNSIGNED);
      await payload.collect(1000);
      expect(payload.digests().checksum).to.deep.equal({ algorithm, value });
      const error = await expectHeldBack(await open({ [name]: other }, UNSIGNED), 'BadDigest');
      expect(error.message).to.contain(algorithm);
      for (const bad of ['', 'x', `${value}=`, value.slice(0, -4), value.replace(/.$/, '*')]) {
        const refusal = await s3Failure(() => open({ [name]: bad }, UNSIGNED));
        expect(refusal.code).to.equal('InvalidRequest');
        expect(refusal.message).to.equal(`Value for ${name} header is invalid.`);
      }
    });

    it(`${algorithm} as a trailer`, async () => {
      const payload = await chunked([`${name}:${value}`], {
        'x-amz-sdk-checksum-algorithm': algorithm,
      });
      expect(payload.size).to.equal(DATA.length);
      expect((await payload.collect(1000)).equals(DATA)).to.be.true;
      expect(payload.digests().checksum).to.deep.equal({ algorithm, value });
      await expectHeldBack(await chunked([`${name}:${other}`]), 'BadDigest');
      for (const bad of ['', 'x', `${value}=`]) {
        const refusal = await expectHeldBack(await chunked([`${name}:${bad}`]), 'InvalidRequest');
        expect(refusal.message).to.equal(`Value for ${name} trailing header is invalid.`);
      }
    });
  }

  it('with the payload hash and the MD5 as well', async () => {
    const sha256 = checksumOf('SHA256', DATA);
    const headers = { 'x-amz-checksum-sha256': sha256, 'content-md5': MD5 };
    const payload = await open(headers, sha256Hex(DATA));
    await payload.collect(1000);
    expect(payload.digests().checksum).to.deep.equal({ algorithm: 'SHA256', value: sha256 });
  });

  const REFUSED: readonly (readonly [what: string, headers: Headers, code: ErrorCode])[] = [
    ['two', { 'x-amz-checksum-crc32': CRC32, 'x-amz-checksum-crc32c': CRC32 }, 'InvalidRequest'],
    ['an unknown one', { 'x-amz-checksum-xxhash64': 'AAAA' }, 'NotImplemented'],
    ['a promised one missing', { 'x-amz-sdk-checksum-algorithm': 'CRC32' }, 'InvalidRequest'],
    [
      'another than promised',
      { 'x-amz-sdk-checksum-algorithm': 'SHA1', 'x-amz-checksum-crc32': CRC32 },
      'InvalidRequest',
    ],
    [
      'an unknown one promised',
      { 'x-amz-sdk-checksum-algorithm': 'CRC7', 'x-amz-checksum-crc32': CRC32 },
      'InvalidRequest',
    ],
    ['a trailer that cannot come', { 'x-amz-trailer': 'x-amz-checksum-crc32' }, 'InvalidRequest'],
  ];

  for (const [what, headers, code] of REFUSED) {
    it(`refuse ${what}`, async () => {
      expect((await s3Failure(() => open(headers, UNSIGNED))).code).to.equal(code);
    });
  }

  it('refuse a trailer besides a header, and trailers that are no checksum', async () => {
    const both = chunked([`x-amz-checksum-crc32:${CRC32}`], { 'x-amz-checksum-crc32': CRC32 });
    expect((await s3Failure(() => both)).code).to.equal('InvalidRequest');
    for (const trailer of ['x-amz-meta-a:1', 'x-amz-checksum-md5:AAAA', ':']) {
      expect((await s3Failure(() => chunked([trailer]))).code).to.equal('InvalidRequest');
    }
  });

  it('take names in any case', async () => {
    const payload = await chunked([`X-Amz-Checksum-Crc32: ${CRC32} `], {
      'x-amz-sdk-checksum-algorithm': 'crc32',
    });
    await payload.collect(1000);
    expect(payload.digests().checksum?.value).to.equal(CRC32);
  });

  it('leave those alone that speak of an object, where an operation says so', async () => {
    const headers = { 'x-amz-checksum-crc32': OTHER_CRC32, 'x-amz-checksum-type': 'COMPOSITE' };
    const payload = await open(headers, UNSIGNED, undefined, { checksumHeadersOfBody: false });
    await payload.collect(1000);
    expect(payload.digests().checksum).to.equal(undefined);
  });
});

describe('aws-chunked payloads', () => {
  it('need the decoded length', async () => {
    for (const [value, code] of [
      [undefined, 'MissingContentLength'],
      ['', 'InvalidArgument'],
      ['-1', 'InvalidArgument'],
      ['1e3', 'InvalidArgument'],
      ['99999999999999999', 'InvalidArgument'],
    ] as const) {
      const headers = value === undefined ? {} : { 'x-amz-decoded-content-length': value };
      expect((await s3Failure(() => open(headers, UNSIGNED_TRAILER))).code).to.equal(code);
    }
  });

  it('are framed by what is signed, not by Content-Encoding', async () => {
    const plain = await open({ 'content-encoding': 'aws-chunked' }, UNSIGNED);
    expect((await plain.collect(1000)).equals(DATA)).to.be.true;
  });

  it('verify every chunk signature and the trailer signature', async () => {
    const big = Buffer.alloc(20_000, 'abc');
    const trailer = `x-amz-checksum-crc32:${checksumOf('CRC32', big)}`;
    const request = signedRequest(
      'PUT',
      '/bucket/key',
      {
        'x-amz-decoded-content-length': String(big.length),
        'x-amz-trailer': 'x-amz-checksum-crc32',
      },
      'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
    );
    const seed = seedOf(request.headers.get('authorization')!);
    const chunks = [big.subarray(0, 8192), big.subarray(8192)];
    const body = signedChunks(new Signer(IDENTITY, DATE), seed, chunks, { trailers: [trailer] });
    const authentication = await verify(request);
    const payload = authentication.openPayload(sizedBody(body, 5000));
    expect((await payload.collect(big.length)).equals(big)).to.be.true;

    for (const at of [100, 9000, body.length - 10, body.length - 150]) {
      const changed = Buffer.from(body);
      changed[at]! ^= 0x01;
      const attempt = authentication.openPayload(sizedBody(changed, 5000));
      const { error, given } = await readToFailure(attempt);
      expect(error.code).to.equal('SignatureDoesNotMatch');
      expect(given.length).to.be.lessThan(big.length);
    }
  });
});
