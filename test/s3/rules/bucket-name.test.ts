import { expect } from 'chai';
import { isValidBucketName } from '../../../src/s3/rules/bucket-name.js';

const VALID = [
  'abc',
  '123',
  'a.b.c',
  'my-bucket',
  'a--b',
  '1.2.3',
  '1.2.3.4.5',
  '1.2.3.a',
  'a'.repeat(63),
  'amzn-s3-demo-bucket',
];

const INVALID = [
  '',
  'ab',
  'a'.repeat(64),
  'Bucket',
  'buck_et',
  'buck et',
  'bücket',
  'bucket/',
  'bucket\0',
  '.abc',
  'abc.',
  '-abc',
  'abc-',
  'a..b',
  'a.-b',
  'a-.b',
  '192.168.5.4',
  '999.1.1.1',
  'xn--bucket',
  'sthree-bucket',
  'bucket-s3alias',
  'bucket--ol-s3',
  'bucket.mrap',
  'bucket--x-s3',
  'bucket--table-s3',
  'bucket+segments',
  'bucket+versions',
  '...',
];

describe('s3 rules: bucket names', () => {
  for (const name of VALID) {
    it(`accepts ${name}`, () => expect(isValidBucketName(name)).to.be.true);
  }
  for (const name of INVALID) {
    it(`refuses ${JSON.stringify(name)}`, () => expect(isValidBucketName(name)).to.be.false);
  }
});
