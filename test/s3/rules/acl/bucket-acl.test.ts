import { expect } from 'chai';
import { groupGrant, userGrant, type Acl } from '../../../../src/s3/rules/acl/acl.js';
import { bucketAcl, bucketAclInput } from '../../../../src/s3/rules/acl/bucket-acl.js';
import { ACL_METADATA, encodeAcl } from '../../../../src/s3/rules/acl/stored.js';

const OWNER = 'test:tester';
const CLOSED = { read: '', write: '' };
const UNSTORED: Acl = { owner: '', grants: [] };
const PUBLIC: Acl = {
  owner: OWNER,
  grants: [groupGrant('AllUsers', 'READ'), userGrant(OWNER, 'FULL_CONTROL')],
};
const PRIVATE: Acl = { owner: OWNER, grants: [userGrant(OWNER, 'FULL_CONTROL')] };

describe('s3: rules: ACL of a bucket', () => {
  it('is what was stored, while the container is unchanged', () => {
    expect(bucketAcl(bucketAclInput(PUBLIC, CLOSED), UNSTORED)).to.deep.equal(PUBLIC);
  });

  it('loses what Swift users have closed', () => {
    const { systemMetadata } = bucketAclInput(PUBLIC, CLOSED);
    expect(bucketAcl({ systemMetadata, acl: CLOSED }, UNSTORED)).to.deep.equal(PRIVATE);
  });

  it('keeps what s3api has granted, which never opens the container', () => {
    const systemMetadata = { [ACL_METADATA]: encodeAcl(PUBLIC) };
    expect(bucketAcl({ systemMetadata, acl: CLOSED }, UNSTORED)).to.deep.equal(PUBLIC);
  });

  it('keeps what s3api has granted in the place of what this gateway had stored', () => {
    const ours = bucketAclInput(PRIVATE, CLOSED);
    const systemMetadata = { ...ours.systemMetadata, [ACL_METADATA]: encodeAcl(PUBLIC) };
    expect(bucketAcl({ systemMetadata, acl: ours.acl }, UNSTORED)).to.deep.equal(PUBLIC);
  });

  it('gets what Swift users have opened, whether an ACL is stored or not', () => {
    const acl = { read: '.r:*,.rlistings', write: '' };
    const added = groupGrant('AllUsers', 'READ');
    for (const systemMetadata of [
      {},
      { [ACL_METADATA]: encodeAcl(PRIVATE) },
      bucketAclInput(PRIVATE, CLOSED).systemMetadata,
    ]) {
      expect(bucketAcl({ systemMetadata, acl }, UNSTORED).grants).to.deep.include(added);
    }
  });
});
