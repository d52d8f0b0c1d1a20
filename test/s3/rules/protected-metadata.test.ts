import type { Capabilities } from '../../../src/backend/backend.js';
import type { OperationName } from '../../../src/s3/endpoint/table.js';
import { operationFacts } from '../../../src/s3/operations.js';
import { refuseUnprotected } from '../../../src/s3/rules/protected-metadata.js';
import { expectS3Error, headers, WEAK_STORE } from '../support.js';

type Case = readonly [operation: OperationName, header?: string, value?: string];

const REFUSED: readonly Case[] = [
  ['PutBucketAcl'],
  ['PutBucketCors'],
  ['PutBucketLifecycleConfiguration'],
  ['PutBucketTagging'],
  ['PutBucketVersioning'],
  ['PutObjectAcl'],
  ['PutObjectLegalHold'],
  ['PutObjectLockConfiguration'],
  ['PutObjectRetention'],
  ['PutObjectTagging'],
  ['RestoreObject'],
  ['PutObject', 'x-amz-acl', 'public-read'],
  ['CopyObject', 'x-amz-grant-read', 'id="x"'],
  ['PutObject', 'x-amz-tagging', 'a=b'],
  ['PutObject', 'x-amz-storage-class', 'GLACIER'],
  ['CreateMultipartUpload', 'x-amz-object-lock-mode', 'COMPLIANCE'],
  ['CreateBucket', 'x-amz-bucket-object-lock-enabled', 'true'],
];

const ACCEPTED: readonly Case[] = [
  ['GetBucketAcl'],
  ['GetObjectTagging'],
  ['ListObjectVersions'],
  ['DeleteBucketCors'],
  ['CompleteMultipartUpload'],
  ['PutObject', 'x-amz-acl', 'private'],
  ['PutObject', 'x-amz-storage-class', 'STANDARD'],
  ['PutObject', 'x-amz-meta-tagging', 'a=b'],
  ['CreateBucket', 'x-amz-bucket-object-lock-enabled', 'false'],
];

describe('s3: rules: protected metadata', () => {
  const check = (store: Capabilities, [operation, name = 'host', value = 'h']: Case) => {
    const { needsProtectedMetadata } = operationFacts(operation);
    refuseUnprotected(store, operation, needsProtectedMetadata, headers({ [name]: value }));
  };

  for (const one of REFUSED) {
    it(`refuses ${one.join(' ')} where metadata is not protected`, () => {
      expectS3Error(() => {
        check(WEAK_STORE, one);
      }, 'NotImplemented');
    });

    it(`lets ${one.join(' ')} pass where it is`, () => {
      check({ ...WEAK_STORE, systemMetadata: true }, one);
    });
  }

  for (const one of ACCEPTED) {
    it(`lets ${one.join(' ')} pass anywhere`, () => {
      check(WEAK_STORE, one);
    });
  }
});
