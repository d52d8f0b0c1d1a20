import { expect } from 'chai';
import { errorEntry } from '../../../../src/s3/errors.js';
import {
  bucketWithoutLocks,
  noLegalHold,
  noLockConfiguration,
  noRetention,
  requireUnlockedToSuspend,
  requireVersionsToLock,
} from '../../../../src/s3/rules/object-lock/refusals.js';
import { expectS3Error } from '../../support.js';

describe('s3 rules: what Object Lock refuses', () => {
  for (const [error, status, details] of [
    [bucketWithoutLocks(), 400, {}],
    [noLockConfiguration('b'), 404, { BucketName: 'b' }],
    [noRetention('k'), 400, { Key: 'k' }],
    [noLegalHold('k'), 404, { Key: 'k' }],
  ] as const) {
    it(`with ${error.code}`, () => {
      expect(errorEntry(error.code).status).to.equal(status);
      expect(error.details).to.deep.equal(details);
    });
  }

  it('says what is missing, as SPEC.md 3.2 wants', () => {
    expect(bucketWithoutLocks().message).to.equal('Bucket is missing Object Lock Configuration');
    expect(noRetention('k').message).to.contain('missing retention configuration');
  });

  it('to suspend the versioning of a bucket with locks, and nothing else', () => {
    expectS3Error(() => {
      requireUnlockedToSuspend('Suspended', true);
    }, 'InvalidBucketState');
    requireUnlockedToSuspend('Suspended', false);
    requireUnlockedToSuspend('Enabled', true);
    requireUnlockedToSuspend('Enabled', false);
  });

  it('locks for a bucket that does not keep versions', () => {
    for (const state of ['unversioned', 'Suspended'] as const) {
      expectS3Error(() => {
        requireVersionsToLock(state);
      }, 'InvalidBucketState');
    }
    requireVersionsToLock('Enabled');
  });
});
