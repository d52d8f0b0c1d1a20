import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { multipartEtag } from '../../../src/s3/rules/multipart-etag.js';
import { parsePartNumber } from '../../../src/s3/rules/part-number.js';
import { isUploadId, mintUploadId } from '../../../src/s3/rules/upload-id.js';
import { expectInvalidArgument, expectS3Error, query } from '../support.js';

describe('s3 rules: part numbers', () => {
  for (const value of [1, 2, 9999, 10_000]) {
    it(`accepts ${value}`, () => {
      expect(parsePartNumber(query(`partNumber=${value}`))).to.equal(value);
    });
  }

  for (const value of ['', '0', '-1', '10001', '1.0', '1e3', 'one', ' 1', '99999999999999999999']) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      const parse = () => parsePartNumber(query(`partNumber=${encodeURIComponent(value)}`));
      const { message } = expectInvalidArgument(parse, 'partNumber', value);
      expect(message).to.equal('Part number must be an integer between 1 and 10000, inclusive');
    });
  }

  it('refuses a request without one', () => {
    expectS3Error(() => parsePartNumber(query('uploadId=x')), 'InvalidArgument');
  });
});

describe('s3 rules: upload ids', () => {
  it('are accepted as minted, and differ', () => {
    const ids = Array.from({ length: 100 }, () => mintUploadId(Date.UTC(2024, 0, 1)));
    expect(new Set(ids)).to.have.property('size', ids.length);
    for (const id of ids) {
      expect(id).to.match(/^[0-9a-f]{32}$/);
      expect(isUploadId(id)).to.equal(true);
    }
  });

  it('sort by the time of initiation', () => {
    const time = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
    fc.assert(
      fc.property(time, time, (a, b) => {
        fc.pre(a < b);
        expect(mintUploadId(a) < mintUploadId(b)).to.be.true;
      }),
    );
  });

  it("are accepted from Swift's s3api", () => {
    const id = Buffer.from('0b7c6c1e-8a2e-4a8e-9c59-8f0f6b9a6b1d').toString('base64url');
    expect(isUploadId(id)).to.be.true;
  });

  for (const value of [
    '',
    'short',
    '0'.repeat(31),
    '0'.repeat(129),
    `${'0'.repeat(31)}/`,
    `${'0'.repeat(31)}.`,
    `${'0'.repeat(31)}ä`,
    `../${'0'.repeat(32)}`,
  ]) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(isUploadId(value)).to.equal(false);
    });
  }
});

describe('s3 rules: multipart ETags', () => {
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');

  it('are those that S3 gives', () => {
    // One empty part, as aws-cli leaves it: a value that many bucket listings show.
    expect(multipartEtag([md5('')])).to.equal('59adb24ef3cdbe0297f05b395827453f-1');
  });

  it('digest the bytes of the digests, in order', () => {
    const parts = ['a', 'b', 'c'].map(md5);
    const expected = createHash('md5')
      .update(Buffer.from(parts.join(''), 'hex'))
      .digest('hex');
    expect(multipartEtag(parts)).to.equal(`${expected}-3`);
    expect(multipartEtag(parts.toReversed())).not.to.equal(`${expected}-3`);
  });

  for (const etag of ['', 'abc', 'g'.repeat(32), '0'.repeat(31), '0'.repeat(34)]) {
    it(`refuse ${JSON.stringify(etag)} of a part`, () => {
      expect(() => multipartEtag([md5('a'), etag])).to.throw(RangeError, 'no MD5');
    });
  }
});
