import { expect } from 'chai';
import type { Capabilities } from '../../../src/backend/backend.js';
import type { OperationName } from '../../../src/s3/endpoint/table.js';
import { operationFacts } from '../../../src/s3/operations.js';
import { refuseUnprotected } from '../../../src/s3/rules/protected-metadata.js';
import { headers, s3FailureOf } from '../support.js';

const STORE: Capabilities = {
  atomicCreate: false,
  conditionalReplace: false,
  conditionalDelete: false,
  exclusiveDelete: false,
  orderedWrites: false,
  unsizedBodies: false,
  containerStaleMs: 0,
  listingUpdates: true,
  bodyUpdates: true,
  takesMd5: false,
  atomicGuard: false,
  systemMetadata: false,
  objectNameBytesMax: 1024,
  segmentsMax: 1000,
};

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
      const failure = s3FailureOf(() => {
        check(STORE, one);
      });
      expect(failure.code).to.equal('NotImplemented');
    });

    it(`lets ${one.join(' ')} pass where it is`, () => {
      check({ ...STORE, systemMetadata: true }, one);
    });
  }

  for (const one of ACCEPTED) {
    it(`lets ${one.join(' ')} pass anywhere`, () => {
      check(STORE, one);
    });
  }
});
