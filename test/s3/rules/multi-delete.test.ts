import { expect } from 'chai';
import { requireBodyChecksum } from '../../../src/s3/rules/multi-delete.js';
import { expectS3Error, headers } from '../support.js';

const check = (given: Readonly<Record<string, string>>) => () => {
  requireBodyChecksum(headers(given));
};

describe('s3 rules: digest of a multi-delete', () => {
  for (const given of [
    { 'content-md5': 'x' },
    { 'x-amz-checksum-crc32': 'x' },
    { 'x-amz-checksum-sha256': 'x' },
    { 'x-amz-trailer': 'x-amz-checksum-crc64nvme' },
  ]) {
    it(`accepts ${Object.keys(given).join()}`, () => {
      expect(check(given)).not.to.throw();
    });
  }

  for (const given of [
    {},
    { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' },
    { 'x-amz-sdk-checksum-algorithm': 'CRC32' },
    { 'x-amz-trailer': 'x-amz-meta-a' },
  ]) {
    it(`refuses ${JSON.stringify(given)}`, () => {
      const { message } = expectS3Error(check(given), 'InvalidRequest');
      expect(message).to.equal(
        'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
      );
    });
  }
});
