import { expect } from 'chai';
import { parseEndpoint } from '../../../src/s3/endpoint/endpoint.js';
import { expectS3Error } from '../support.js';

/** Request line to operation and key; the bucket is in the host name. */
const OPERATIONS: readonly (readonly [line: string, operation: string, key: string])[] = [
  ['GET /', 'ListObjects', ''],
  ['GET /?list-type=2', 'ListObjectsV2', ''],
  ['PUT /', 'CreateBucket', ''],
  ['HEAD /', 'HeadBucket', ''],
  ['DELETE /', 'DeleteBucket', ''],
  ['GET /?location', 'GetBucketLocation', ''],
  ['GET /key', 'GetObject', 'key'],
  ['PUT /bucket/key', 'PutObject', 'bucket/key'],
  ['GET //a/../b/', 'GetObject', '/a/../b/'],
  ['GET //', 'GetObject', '/'],
  ['GET /%2F%2e', 'GetObject', '/.'],
  ['GET /key?tagging', 'GetObjectTagging', 'key'],
];

describe('s3 endpoint: virtual-host style', () => {
  for (const [line, operation, key] of OPERATIONS) {
    it(`${line} is ${operation} of ${JSON.stringify(key)}`, () => {
      expect(parse(line, 'my.bucket')).to.include({ operation, key, bucket: 'my.bucket' });
    });
  }

  it('knows no service: that has a host of its own', () => {
    expect(parse('GET /', 'bucket').resource).to.equal('bucket');
  });

  it('checks the name of the bucket, the path and the key', () => {
    for (const bucket of ['a_b', 'ab', 'a..b', 'x'.repeat(64), '1.2.3.4']) {
      expectS3Error(() => parse('GET /key', bucket), 'InvalidBucketName');
    }
    expectS3Error(() => parse('GET /%zz', 'bucket'), 'InvalidURI');
    const long = `GET /${'k'.repeat(1025)}`;
    const { details } = expectS3Error(() => parse(long, 'bucket'), 'KeyTooLongError');
    expect(details).to.include({ BucketName: 'bucket' });
  });
});

function parse(line: string, hostBucket: string) {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', rawQuery = ''] = target.split('?');
  return parseEndpoint(method, path, rawQuery, hostBucket);
}
