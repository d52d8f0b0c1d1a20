import { expect } from 'chai';

import type { ErrorCode } from '../../../src/s3/errors.js';
import { sha256Hex } from '../../support/sigv4.js';
import {
  ALGORITHMS,
  checksumOf,
  chunked,
  CRC32,
  DATA,
  expectHeldBack,
  type Headers,
  MD5,
  open,
  OTHER_CRC32,
  UNSIGNED,
} from './payloads.js';
import { s3Failure } from './support.js';

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
    ['an unknown one', { 'x-amz-checksum-bad': 'AAAA' }, 'InvalidRequest'],
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
    [
      'a trailer that cannot come',
      { 'x-amz-trailer': 'x-amz-checksum-crc32' },
      'MalformedTrailerError',
    ],
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

  it("say in AWS's words what is wrong with several of them", async () => {
    const crc32c = checksumOf('CRC32C', DATA);
    const header = { 'x-amz-checksum-crc32': CRC32 };
    const several =
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.';
    const beside = 'Expecting a single x-amz-checksum- header';
    const unsupported = 'The value specified in the x-amz-trailer header is not supported';
    const unknown = 'The algorithm type you specified in x-amz-checksum- header is invalid.';
    const [one, two] = ['x-amz-checksum-crc32', 'x-amz-checksum-crc32c'];
    for (const [headers, message] of [
      [{ ...header, 'x-amz-checksum-crc32c': crc32c }, several],
      [{ ...header, 'x-amz-checksum-sha256': 'not one' }, several],
      [{ ...header, 'x-amz-checksum-sha256': 'x', 'x-amz-sdk-checksum-algorithm': 'a' }, several],
      [{ 'x-amz-trailer': `${one}, ${one}` }, several],
      [{ ...header, 'x-amz-trailer': `${one}, ${two}` }, several],
      [{ ...header, 'x-amz-trailer': one }, beside],
      [{ ...header, 'x-amz-trailer': two }, beside],
      [{ 'x-amz-trailer': `${one}, x-amz-foo` }, unsupported],
      [{ 'x-amz-trailer': 'content-md5' }, unsupported],
      [{ 'x-amz-trailer': `, ${one}` }, unsupported],
      [{ 'x-amz-trailer': `${one}, ,` }, unsupported],
      [{ 'x-amz-checksum-bad': CRC32 }, unknown],
      [{ ...header, 'x-amz-checksum-bad': CRC32 }, unknown],
    ] as const) {
      const refusal = await s3Failure(() => open(headers, UNSIGNED));
      expect([refusal.code, refusal.message]).to.deep.equal(['InvalidRequest', message]);
    }
  });

  it('may be announced with commas at the end', async () => {
    for (const end of [',', ',,', ', ', ' ,']) {
      const names = { 'x-amz-trailer': `x-amz-checksum-crc32${end}` };
      const payload = await chunked([`x-amz-checksum-crc32:${CRC32}`], names);
      await payload.collect(1000);
      expect(payload.digests().checksum?.value).to.equal(CRC32);
    }
  });

  it('of an unknown kind are refused also where they speak of an object', async () => {
    const headers = { 'x-amz-checksum-bad': CRC32 };
    const options = { checksumHeadersOfBody: false };
    const { code } = await s3Failure(() => open(headers, UNSIGNED, undefined, options));
    expect(code).to.equal('InvalidRequest');
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
