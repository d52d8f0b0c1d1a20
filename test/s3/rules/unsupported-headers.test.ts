import type { OperationName } from '../../../src/s3/endpoint/table.js';
import { operationFacts } from '../../../src/s3/operations.js';
import {
  refuseHeadersInQuery,
  refuseUnsupportedHeaders,
} from '../../../src/s3/rules/unsupported-headers.js';
import { expectS3Error, headers, query } from '../support.js';

const REFUSED: readonly (readonly [operation: OperationName, header: string, value: string])[] = [
  ['PutObject', 'x-amz-server-side-encryption', 'AES256'],
  ['PutObject', 'x-amz-server-side-encryption-aws-kms-key-id', 'k'],
  ['GetObject', 'x-amz-server-side-encryption-customer-algorithm', 'AES256'],
  ['PutObject', 'x-amz-server-side-encryption-bucket-key-enabled', 'true'],
  ['PutObject', 'x-amz-website-redirect-location', '/x'],
  ['GetObject', 'x-amz-request-payer', 'requester'],
  ['DeleteObject', 'x-amz-mfa', 'serial 123456'],
  ['PutObject', 'x-amz-bypass-governance-retention', 'true'],
  ['DeleteObject', 'x-amz-if-match-size', '5'],
  ['GetObject', 'x-amz-acl', 'public-read'],
  ['DeleteBucket', 'x-amz-grant-read', 'id="x"'],
  ['DeleteBucket', 'x-amz-grant-read', 'private'],
  ['PutObjectTagging', 'x-amz-tagging', 'a=b'],
  ['UploadPart', 'x-amz-tagging', 'a=b'],
  ['UploadPart', 'x-amz-object-lock-mode', 'COMPLIANCE'],
  ['UploadPart', 'x-amz-object-lock-legal-hold', 'ON'],
  ['CompleteMultipartUpload', 'x-amz-object-lock-retain-until-date', '2030-01-01T00:00:00Z'],
  ['PutBucketAcl', 'x-amz-bucket-object-lock-enabled', 'true'],
  ['CreateBucket', 'x-amz-object-ownership', 'BucketOwnerEnforced'],
  ['PutObject', 'x-amz-write-offset-bytes', '5'],
  ['CreateBucket', 'x-amz-expected-bucket-owner', '123456789012'],
  ['ListBuckets', 'x-amz-expected-bucket-owner', '123456789012'],
  ['PutObject', 'x-amz-source-expected-bucket-owner', '123456789012'],
  ['GetObject', 'x-amz-copy-source', '/b/k'],
  ['PutObject', 'x-amz-copy-source-if-match', '"a"'],
  ['CopyObject', 'x-amz-copy-source-server-side-encryption-customer-key', 'k'],
];

const ACCEPTED: readonly (readonly [operation: OperationName, header: string, value: string])[] = [
  ['GetObject', 'x-amz-acl', 'private'],
  ['PutObject', 'x-amz-acl', 'public-read'],
  ['CopyObject', 'x-amz-acl', 'public-read'],
  ['PutBucketAcl', 'x-amz-acl', 'public-read'],
  ['PutObjectAcl', 'x-amz-grant-read', 'id="x"'],
  ['CreateBucket', 'x-amz-grant-full-control', 'id="x"'],
  ['PutObject', 'x-amz-server-side-encryption-bucket-key-enabled', 'false'],
  ['CreateBucket', 'x-amz-bucket-object-lock-enabled', 'false'],
  ['CopyObject', 'x-amz-copy-source', '/b/k'],
  ['CopyObject', 'x-amz-copy-source-if-match', '"a"'],
  ['CopyObject', 'x-amz-metadata-directive', 'REPLACE'],
  // Without a source they say nothing; s3fs sends them when it begins an upload.
  ['PutObject', 'x-amz-metadata-directive', 'REPLACE'],
  ['CreateMultipartUpload', 'x-amz-metadata-directive', 'REPLACE'],
  ['CreateMultipartUpload', 'x-amz-tagging-directive', 'COPY'],
  ['CopyObject', 'x-amz-source-expected-bucket-owner', '123456789012'],
  ['UploadPartCopy', 'x-amz-source-expected-bucket-owner', '123456789012'],
  ['GetObject', 'x-amz-expected-bucket-owner', '123456789012'],
  ['DeleteBucket', 'x-amz-expected-bucket-owner', '123456789012'],
  ['PutObject', 'x-amz-storage-class', 'STANDARD'],
  ['PutObject', 'x-amz-tagging', 'a=b'],
  ['PutObject', 'x-amz-meta-mfa', 'x'],
  ['PutObject', 'x-amz-date', '20240101T000000Z'],
  ['PutObject', 'x-amz-content-sha256', 'UNSIGNED-PAYLOAD'],
  ['PutObject', 'x-amz-checksum-crc32', 'AAAAAA=='],
  ['PutObject', 'x-amz-sdk-checksum-algorithm', 'CRC32'],
  ['GetObject', 'x-amz-checksum-mode', 'ENABLED'],
  ['ListObjectsV2', 'x-amz-optional-object-attributes', 'RestoreStatus'],
  ['GetObject', 'x-amz-user-agent', 'sdk'],
  ['GetObject', 'x-forwarded-for', '1.2.3.4'],
];

describe('s3 rules: unsupported headers', () => {
  for (const [operation, header, value] of REFUSED) {
    it(`${operation} refuses ${header}: ${value}`, () => {
      const given = headers({ host: 'h', [header]: value });
      const refuse = () => {
        refuseUnsupportedHeaders(operationFacts(operation).reads, given);
      };
      expectS3Error(refuse, 'NotImplemented', { Header: header });
    });
  }

  for (const [operation, header, value] of ACCEPTED) {
    it(`${operation} accepts ${header}: ${value}`, () => {
      refuseUnsupportedHeaders(operationFacts(operation).reads, headers({ [header]: value }));
    });
  }

  for (const [name, value] of [
    ['x-amz-acl', 'public-read'],
    ['X-Amz-Grant-Read', 'id="x"'],
    ['x-amz-server-side-encryption', 'AES256'],
    ['x-amz-object-lock-mode', 'COMPLIANCE'],
    ['x-amz-tagging', 'a=b'],
    ['x-amz-copy-source', '/b/k'],
    ['x-amz-expected-bucket-owner', '123456789012'],
  ] as const) {
    it(`refuses ${name} in a query that nothing reads it from`, () => {
      const { parameters } = query(`prefix=p&${name}=${encodeURIComponent(value)}`);
      const header = name.toLowerCase();
      const refuse = () => {
        refuseHeadersInQuery(parameters, headers({ host: 'h' }));
      };
      expectS3Error(refuse, 'NotImplemented', { Header: header });
      // A presigned URL: what it carries is among the headers, and judged there.
      refuseHeadersInQuery(parameters, headers({ [header]: value }));
    });
  }

  it('lets what asks for nothing stand in a query', () => {
    const { parameters } = query(
      'x-id=PutObject&x-amz-acl=private&X-Amz-Date=d&x-amz-meta-a=1&x-amz-checksum-crc32=A&acl',
    );
    refuseHeadersInQuery(parameters, headers({}));
  });
});
