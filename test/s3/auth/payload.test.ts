import { createHash } from 'node:crypto';
import { expect } from 'chai';

import type { RequestBody } from '../../../src/http/exchange.js';
import type { PayloadOptions } from '../../../src/s3/auth/payload-plan.js';
import { heldBytes } from '../../support/garbage.js';
import { bodyOf, sizedBody } from '../../support/requests.js';
import { seedOf, sha256Hex, signedChunks, Signer } from '../../support/sigv4.js';
import { checksumOf, CRC32, DATA, expectHeldBack, MD5, open, readToFailure } from './payloads.js';
import {
  DATE,
  EMPTY_SHA256,
  expectFailure,
  type Headers,
  IDENTITY,
  SIGNED_CHUNKS,
  signedRequest,
  UNSIGNED,
  UNSIGNED_TRAILER,
  verify,
} from './support.js';

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

  it('take the MD5 where it is needed, and say before whether they do', async () => {
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
    await expectFailure(() => wrong.collect(0), 'XAmzContentSHA256Mismatch');
  });

  it('have no size when none was announced', async () => {
    const pieces = [DATA.subarray(0, 9), DATA.subarray(9)];
    const payload = await open({}, sha256Hex(DATA), bodyOf(pieces));
    expect(payload.size).to.equal(undefined);
    expect((await payload.collect(1000)).equals(DATA)).to.be.true;
    const wrong = await open({}, EMPTY_SHA256, bodyOf(pieces));
    await expectHeldBack(wrong, 'XAmzContentSHA256Mismatch');
  });

  it('are collected in memory of their length, also from pieces of one byte', async () => {
    const bytes = 100_000;
    let held = 0;
    async function* pieces(): AsyncGenerator<Buffer> {
      const before = heldBytes();
      for (let sent = 0; sent < bytes; sent++) yield await Promise.resolve(Buffer.from('a'));
      held = heldBytes() - before;
    }
    const source = pieces();
    const body = { ...bodyOf([]), [Symbol.asyncIterator]: () => source };
    const payload = await open({}, UNSIGNED, body);
    expect((await payload.collect(bytes)).equals(Buffer.alloc(bytes, 'a'))).to.be.true;
    // A buffer for each of them would take more than 100 bytes for each byte.
    expect(held).to.be.below(20 * bytes);
  });

  it('are not collected beyond the limit', async () => {
    for (const body of [sizedBody(DATA), bodyOf([DATA])]) {
      const payload = await open({}, UNSIGNED, body);
      await expectFailure(() => payload.collect(DATA.length - 1), 'MaxMessageLengthExceeded');
    }
  });

  it('that are shorter or longer than announced are never whole', async () => {
    const short = bodyOf([DATA.subarray(0, 10)], DATA.length);
    const { details } = await expectHeldBack(await open({}, UNSIGNED, short), 'IncompleteBody');
    const [all, some] = [String(DATA.length), '10'];
    expect(details).to.deep.equal({ NumberBytesExpected: all, NumberBytesProvided: some });
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
    const other = createHash('md5').update('other').digest();
    const payload = await open({ 'content-md5': other.toString('base64') }, UNSIGNED);
    const wrong = await expectHeldBack(payload, 'BadDigest');
    const expected = { ExpectedDigest: other.toString('hex'), CalculatedDigest: MD5 };
    expect(wrong.details).to.deep.equal(expected);
    const MALFORMED = ['', 'x', MD5.slice(0, -1), `${MD5}=`, MD5.replace('==', ''), CRC32];
    for (const value of MALFORMED) {
      const attempt = () => open({ 'content-md5': value }, UNSIGNED);
      const { details } = await expectFailure(attempt, 'InvalidDigest');
      expect(details).to.deep.equal({ 'Content-MD5': value });
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

describe('aws-chunked payloads', () => {
  it('need the decoded length', async () => {
    for (const value of [undefined, '', '-1', '1e3', 'not an int', '99999999999999999']) {
      const headers = value === undefined ? {} : { 'x-amz-decoded-content-length': value };
      await expectFailure(() => open(headers, UNSIGNED_TRAILER), 'MissingContentLength');
    }
  });

  it('are framed by what is signed, not by Content-Encoding', async () => {
    const plain = await open({ 'content-encoding': 'aws-chunked' }, UNSIGNED);
    expect((await plain.collect(1000)).equals(DATA)).to.be.true;
  });

  it('verify every chunk signature and the trailer signature', async () => {
    const big = Buffer.alloc(20_000, 'abc');
    const trailer = `x-amz-checksum-crc32:${checksumOf('CRC32', big)}`;
    const headers = {
      'x-amz-decoded-content-length': String(big.length),
      'x-amz-trailer': 'x-amz-checksum-crc32',
    };
    const request = signedRequest('PUT', '/bucket/key', headers, `${SIGNED_CHUNKS}-TRAILER`);
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
