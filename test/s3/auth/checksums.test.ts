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
  MD5,
  open,
  OTHER_CRC32,
} from './payloads.js';
import { expectFailure, type Headers, s3Failure, UNSIGNED } from './support.js';

describe('checksums of payloads', () => {
  const ONE = { 'x-amz-checksum-crc32': CRC32 };
  const promised = (algorithm: string) => ({ 'x-amz-sdk-checksum-algorithm': algorithm });

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
        const attempt = () => open({ [name]: bad }, UNSIGNED);
        const refusal = await expectFailure(attempt, 'InvalidRequest');
        expect(refusal.message).to.equal(`Value for ${name} header is invalid.`);
      }
    });

    it(`${algorithm} as a trailer`, async () => {
      const payload = await chunked([`${name}:${value}`], promised(algorithm));
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

  const REFUSED: readonly (readonly [what: string, headers: Headers, code?: ErrorCode])[] = [
    ['two', { ...ONE, 'x-amz-checksum-crc32c': CRC32 }],
    ['an unknown one', { 'x-amz-checksum-bad': 'AAAA' }],
    ['a promised one missing', promised('CRC32')],
    ['another than promised', { ...ONE, ...promised('SHA1') }],
    ['an unknown one promised', { ...ONE, ...promised('CRC7') }],
    [
      'a trailer that cannot come',
      { 'x-amz-trailer': 'x-amz-checksum-crc32' },
      'MalformedTrailerError',
    ],
  ];

  for (const [what, headers, code = 'InvalidRequest'] of REFUSED) {
    it(`refuse ${what}`, async () => {
      await expectFailure(() => open(headers, UNSIGNED), code);
    });
  }

  it('refuse a trailer besides a header, and trailers that are no checksum', async () => {
    await expectFailure(() => chunked([`x-amz-checksum-crc32:${CRC32}`], ONE), 'InvalidRequest');
    for (const trailer of ['x-amz-meta-a:1', 'x-amz-checksum-md5:AAAA', ':']) {
      await expectFailure(() => chunked([trailer]), 'InvalidRequest');
    }
  });

  it("say in AWS's words what is wrong with several of them", async () => {
    const crc32c = checksumOf('CRC32C', DATA);
    const several =
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.';
    const beside = 'Expecting a single x-amz-checksum- header';
    const unsupported = 'The value specified in the x-amz-trailer header is not supported';
    const unknown = 'The algorithm type you specified in x-amz-checksum- header is invalid.';
    const [one, two] = ['x-amz-checksum-crc32', 'x-amz-checksum-crc32c'];
    for (const [headers, message] of [
      [{ ...ONE, 'x-amz-checksum-crc32c': crc32c }, several],
      [{ ...ONE, 'x-amz-checksum-sha256': 'not one' }, several],
      [{ ...ONE, 'x-amz-checksum-sha256': 'x', ...promised('a') }, several],
      [{ 'x-amz-trailer': `${one}, ${one}` }, several],
      [{ ...ONE, 'x-amz-trailer': `${one}, ${two}` }, several],
      [{ ...ONE, 'x-amz-trailer': one }, beside],
      [{ ...ONE, 'x-amz-trailer': two }, beside],
      [{ 'x-amz-trailer': `${one}, x-amz-foo` }, unsupported],
      [{ 'x-amz-trailer': 'content-md5' }, unsupported],
      [{ 'x-amz-trailer': `, ${one}` }, unsupported],
      [{ 'x-amz-trailer': `${one}, ,` }, unsupported],
      [{ 'x-amz-checksum-bad': CRC32 }, unknown],
      [{ ...ONE, 'x-amz-checksum-bad': CRC32 }, unknown],
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
    await expectFailure(() => open(headers, UNSIGNED, undefined, options), 'InvalidRequest');
  });

  it('take names in any case', async () => {
    const payload = await chunked([`X-Amz-Checksum-Crc32: ${CRC32} `], promised('crc32'));
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
