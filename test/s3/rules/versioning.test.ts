import { expect } from 'chai';
import type { Metadata } from '../../../src/backend/backend.js';
import {
  versioningPatch,
  versioningState,
  type VersioningStatus,
} from '../../../src/s3/rules/versioning.js';
import { expectS3Error } from '../support.js';

const STATUSES: readonly VersioningStatus[] = ['Enabled', 'Suspended'];

describe('s3 rules: versioning state of a bucket', () => {
  it('is unversioned as long as nothing is stored', () => {
    expect(versioningState({ 's3-cors': 'x' })).to.equal('unversioned');
  });

  for (const status of STATUSES) {
    it(`comes back as stored: ${status}`, () => {
      expect(versioningPatch(status)).to.deep.equal({ 's3-versioning': status });
      expect(versioningState(versioningPatch(status) as Metadata)).to.equal(status);
    });
  }

  for (const stored of ['', 'enabled', 'unversioned', 'Enabled ', 'Disabled']) {
    it(`fails closed on ${JSON.stringify(stored)}`, () => {
      const read = () => versioningState({ 's3-versioning': stored });
      const { cause } = expectS3Error(read, 'InternalError');
      expect(String(cause)).to.contain('versioning state');
    });
  }
});
