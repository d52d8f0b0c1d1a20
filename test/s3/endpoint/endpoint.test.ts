import { expect } from 'chai';
import fc from 'fast-check';
import {
  notImplemented,
  parseEndpoint,
  refineByHeaders,
  refuseVersionId,
} from '../../../src/s3/endpoint/endpoint.js';
import { operationFacts } from '../../../src/s3/operations.js';
import { S3Error } from '../../../src/s3/errors.js';
import { expectS3Error, headers } from '../support.js';

/** Request line to operation; `!` marks what answers 501. */
const OPERATIONS: readonly (readonly [line: string, operation: string])[] = [
  ['GET /', 'ListBuckets'],
  ['GET /?x-id=ListBuckets', 'ListBuckets'],
  ['GET /?max-buckets=5&prefix=', 'ListBuckets'],
  ['PUT /bucket', 'CreateBucket'],
  ['PUT /bucket/', 'CreateBucket'],
  ['HEAD /bucket', 'HeadBucket'],
  ['DELETE /bucket', 'DeleteBucket'],
  ['GET /bucket', 'ListObjects'],
  ['GET /bucket?marker=&prefix=&delimiter=&max-keys=', 'ListObjects'],
  ['GET /bucket?list-type=2&continuation-token=&start-after=&fetch-owner=', 'ListObjectsV2'],
  ['GET /bucket?location', 'GetBucketLocation'],
  ['GET /bucket?location=', 'GetBucketLocation'],
  ['GET /bucket/key', 'GetObject'],
  ['GET /bucket/key?versionId=null', 'GetObject'],
  ['GET /bucket/key?response-content-type=&X-Amz-Security-Token=', 'GetObject'],
  ['GET /bucket/key?AWSAccessKeyId=a&Expires=1&Signature=s', 'GetObject'],
  ['GET /bucket/key?v=3', 'GetObject'],
  ['GET /bucket/key?utm_source&download', 'GetObject'],
  ['HEAD /bucket/key?download=', 'HeadObject'],
  ['HEAD /bucket/key', 'HeadObject'],
  ['PUT /bucket/key?x-id=PutObject', 'PutObject'],
  ['DELETE /bucket/key', 'DeleteObject'],
  ['GET /bucket?acl', 'GetBucketAcl'],
  ['GET /bucket?acl=', 'GetBucketAcl'],
  ['GET /bucket?policy', '!GetBucketPolicy'],
  ['GET /bucket?versions&prefix=a', 'ListObjectVersions'],
  ['GET /bucket?versioning', 'GetBucketVersioning'],
  ['GET /bucket?uploads', 'ListMultipartUploads'],
  ['POST /bucket?delete', 'DeleteObjects'],
  ['POST /bucket', '!PostObject'],
  ['GET /bucket?inventory', '!ListBucketInventoryConfigurations'],
  ['GET /bucket?inventory&id=1', '!GetBucketInventoryConfiguration'],
  ['POST /bucket/key?uploads', 'CreateMultipartUpload'],
  ['PUT /bucket/key?partNumber=1&uploadId=u', 'UploadPart'],
  ['PUT /bucket/key?uploadId=u&partNumber=1', 'UploadPart'],
  ['GET /bucket/key?uploadId=u', 'ListParts'],
  ['POST /bucket/key?uploadId=u', 'CompleteMultipartUpload'],
  ['DELETE /bucket/key?uploadId=u', 'AbortMultipartUpload'],
  ['GET /bucket/key?partNumber=1', 'GetObjectPart'],
  ['HEAD /bucket/key?partNumber=1', 'HeadObjectPart'],
  ['POST /bucket/key?select&select-type=2', '!SelectObjectContent'],
  ['POST /bucket/key?restore&versionId=null', 'RestoreObject'],
  ['GET /bucket/key?tagging', 'GetObjectTagging'],
  ['OPTIONS /bucket', 'PreflightRequest'],
  ['OPTIONS /bucket/key?partNumber=1&uploadId=u', 'PreflightRequest'],
];

/** Unknown subresources are a 501 and never an object or a listing: SPEC.md 4.2. */
const UNKNOWN_SUBRESOURCES = [
  'GET /bucket?somethingNew',
  'GET /bucket?somethingNew=',
  'PUT /bucket?somethingNew',
  'PUT /bucket/key?somethingNew',
  'PUT /bucket/key?append&position=0',
  // Known, but not of this resource or not with this method.
  'PUT /bucket/key?policy',
  'GET /bucket/key?location',
  'PATCH /bucket?policy',
  'GET /?acl',
  'GET /?location',
];

const METHOD_NOT_ALLOWED: readonly (readonly [line: string, resource: string, allow: string])[] = [
  ['PUT /', 'SERVICE', 'GET'],
  ['DELETE /', 'SERVICE', 'GET'],
  ['POST /', 'SERVICE', 'GET'],
  ['HEAD /', 'SERVICE', 'GET'],
  ['OPTIONS /', 'SERVICE', 'GET'],
  ['PUT /?acl', 'SERVICE', 'GET'],
  ['PATCH /bucket', 'BUCKET', 'GET, PUT, DELETE, HEAD, OPTIONS'],
  ['get /bucket', 'BUCKET', 'GET, PUT, DELETE, HEAD, OPTIONS'],
  ['PUT /bucket?location', 'BUCKET', 'GET'],
  ['HEAD /bucket/key?acl', 'OBJECT', 'GET, PUT'],
  ['PATCH /bucket?acl', 'BUCKET', 'GET, PUT'],
  ['HEAD /bucket?location', 'BUCKET', 'GET'],
  ['PUT /bucket?uploads', 'BUCKET', 'GET'],
  ['POST /bucket?uploads', 'BUCKET', 'GET'],
  ['DELETE /bucket?uploads', 'BUCKET', 'GET'],
  ['PUT /bucket/key?uploads', 'OBJECT', 'POST'],
  ['PUT /bucket/key?uploadId=u', 'UPLOAD', 'DELETE, POST, GET'],
  ['POST /bucket/key', 'OBJECT', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ['FROB /bucket/key', 'OBJECT', 'GET, HEAD, PUT, DELETE, OPTIONS'],
];

const KEYS: readonly (readonly [raw: string, key: string])[] = [
  ['a', 'a'],
  ['a/', 'a/'],
  ['/', '/'],
  ['//a', '//a'],
  ['a//b', 'a//b'],
  ['a/../b', 'a/../b'],
  ['./x', './x'],
  ['..', '..'],
  ['%2e%2e/x', '../x'],
  ['%2F', '/'],
  ['a+b', 'a+b'],
  ['a%2Bb', 'a+b'],
  ['a%20b', 'a b'],
  ['a%3Fb%23c', 'a?b#c'],
  ['%25', '%'],
  ['%C3%A4', 'ä'],
  ['%F0%9F%98%80', '😀'],
  ['%01', '\u0001'],
  ['a@b', 'a@b'],
];

describe('s3 endpoint', () => {
  for (const [line, expected] of OPERATIONS) {
    it(`${line} is ${expected}`, () => {
      const endpoint = parseLine(line);
      expect(endpoint.operation).to.equal(expected.replace('!', ''));
      expect(endpoint.supported).to.equal(!expected.startsWith('!'));
    });
  }

  for (const line of UNKNOWN_SUBRESOURCES) {
    it(`${line} is an unknown subresource, which answers 501`, () => {
      const endpoint = parseLine(line);
      expect(endpoint.operation).to.equal('UnknownSubresource');
      expect(endpoint.supported).to.be.false;
      expect(notImplemented(endpoint).code).to.equal('NotImplemented');
    });
  }

  for (const [line, resource, allow] of METHOD_NOT_ALLOWED) {
    it(`${line} is not allowed`, () => {
      const error = expectS3Error(() => parseLine(line), 'MethodNotAllowed', {
        Method: line.slice(0, line.indexOf(' ')),
        ResourceType: resource,
      });
      expect(error.headers).to.deep.equal([['Allow', allow]]);
    });
  }

  for (const [raw, key] of KEYS) {
    it(`takes ${raw} for the key ${JSON.stringify(key)}`, () => {
      const endpoint = parseEndpoint('GET', `/bucket/${raw}`, '');
      expect(endpoint).to.include({ resource: 'object', bucket: 'bucket', key });
    });
  }

  it('decodes the bucket and the query', () => {
    const endpoint = parseEndpoint('GET', '/b%75cket', 'prefix=a%2Fb%20c+d&prefix=second');
    expect(endpoint).to.include({ resource: 'bucket', bucket: 'bucket', key: '' });
    expect(endpoint.query.get('prefix')).to.equal('a/b c d');
    expect(endpoint.query.get('marker')).to.equal(undefined);
    expect(endpoint.query.has('marker')).to.be.false;
  });

  for (const path of ['/bucket/%', '/bucket/%zz', '/bucket/%ff', '/bucket/a%00b', '/%', 'bucket']) {
    it(`refuses the path ${path}`, () => {
      expectS3Error(() => parseEndpoint('GET', path, ''), 'InvalidURI', { URI: path });
    });
  }

  for (const rawQuery of ['a=%', '%ff', 'prefix=%C3']) {
    it(`refuses the query ${rawQuery}`, () => {
      expectS3Error(() => parseEndpoint('GET', '/bucket', rawQuery), 'InvalidURI');
    });
  }

  const COMPANIONS = ['/b+segments/x', '/b+versions'];
  for (const path of ['//', '//key', '/Bucket/key', '/a', ...COMPANIONS, '/b%2Fc']) {
    it(`refuses the bucket of ${path}`, () => {
      expectS3Error(() => parseEndpoint('GET', path, ''), 'InvalidBucketName');
    });
  }

  it('counts the bytes of a key', () => {
    const longest = `${'%C3%A4'.repeat(511)}ab`;
    expect(Buffer.byteLength(parseEndpoint('PUT', `/bucket/${longest}`, '').key)).to.equal(1024);
    expectS3Error(() => parseEndpoint('PUT', `/bucket/${longest}c`, ''), 'KeyTooLongError', {
      BucketName: 'bucket',
      Key: `${'ä'.repeat(511)}abc`,
      Size: '1025',
      MaxSizeAllowed: '1024',
    });
  });

  it('refuses a part of no upload', () => {
    const part = () => parseLine('PUT /bucket/key?partNumber=1');
    const { message } = expectS3Error(part, 'InvalidArgument');
    expect(message).to.equal('This operation does not accept partNumber without uploadId');
  });

  it('refuses subresources that exclude one another', () => {
    const conflict = () => parseLine('GET /bucket?acl&tagging');
    const { message } = expectS3Error(conflict, 'InvalidArgument');
    expect(message).to.equal('Conflicting query string parameters: acl, tagging');
    expect(parseLine('GET /bucket?acl&acl').operation).to.equal('GetBucketAcl');
  });

  for (const line of [
    'PUT /bucket/key?versionId=null',
    'POST /bucket/key?uploads&versionId=null',
    'POST /bucket/key?uploadId=u&versionId=null',
    'GET /bucket?versionId=null',
  ]) {
    it(`refuses the version of ${line}`, () => {
      const endpoint = parseLine(line);
      expect(operationFacts(endpoint.operation).takesVersionId).to.equal(false);
      const refuse = () => {
        refuseVersionId(endpoint);
      };
      expectS3Error(refuse, 'InvalidArgument', {
        BucketName: 'bucket',
        ...(line.includes('key') ? { Key: 'key' } : {}),
        ArgumentName: 'versionId',
        ArgumentValue: 'null',
      });
    });
  }

  it('tells copies from uploads by their header', () => {
    const copy = headers({ 'x-amz-copy-source': '/b/k' });
    const operationOf = (line: string) => refineByHeaders(parseLine(line), copy);
    const copied = { operation: 'CopyObject', supported: true, key: 'key' };
    expect(operationOf('PUT /bucket/key')).to.include(copied);
    const part = operationOf('PUT /bucket/key?partNumber=1&uploadId=u');
    expect(part.operation).to.equal('UploadPartCopy');
    expect(operationOf('GET /bucket/key').operation).to.equal('GetObject');
    const put = parseLine('PUT /bucket/key');
    expect(refineByHeaders(put, headers({})).operation).to.equal('PutObject');
  });

  it('names the operation that is not implemented', () => {
    const { message } = notImplemented(parseLine('GET /bucket?policy'));
    expect(message).to.equal('GetBucketPolicy is not implemented.');
  });

  it('answers every request line with an endpoint or an S3Error', () => {
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 40 });
    fc.assert(
      fc.property(text, text, text, (method, path, rawQuery) => {
        try {
          const endpoint = parseEndpoint(method, `/${path}`, rawQuery);
          expect(endpoint.operation).to.be.a('string').that.is.not.empty;
        } catch (error) {
          expect(error).to.be.instanceOf(S3Error);
        }
      }),
    );
  });
});

function parseLine(line: string) {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', rawQuery = ''] = target.split('?');
  return parseEndpoint(method, path, rawQuery);
}
