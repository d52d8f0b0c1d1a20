import { expect } from 'chai';
import { PERMISSIONS } from '../../../../src/s3/rules/acl/acl.js';
import { isAllowed, type Access } from '../../../../src/s3/rules/acl/decision.js';
import {
  ANONYMOUS,
  canonicalId,
  requesterOf,
  type Requester,
} from '../../../../src/s3/rules/acl/requester.js';
import { operationFacts } from '../../../../src/s3/operations.js';
import { ENDPOINT_ROWS, type OperationName } from '../../../../src/s3/endpoint/table.js';
import { acl, member, OWNER } from './support.js';

const BOB = member('test:bob');
const ALL: readonly Access[] = ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP', 'OWNER'];

/** The accesses of {@link ALL} that grants give to a requester. */
const TABLE: readonly (readonly [
  grants: readonly string[],
  requester: Requester,
  allowed: readonly Access[],
])[] = [
  [[], ANONYMOUS, []],
  [[], BOB, []],
  [[], member(OWNER), ALL],
  [[], { kind: 'user', id: 'test:admin', role: 'owner' }, ALL],
  [['test:bob READ'], BOB, ['READ']],
  [['test:bob WRITE'], BOB, ['WRITE']],
  [['test:bob READ_ACP'], BOB, ['READ_ACP']],
  [['test:bob WRITE_ACP'], BOB, ['WRITE_ACP']],
  [['test:bob READ', 'test:bob WRITE'], BOB, ['READ', 'WRITE']],
  // Full control is every permission, and still no ownership.
  [['test:bob FULL_CONTROL'], BOB, ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP']],
  [['test:bob FULL_CONTROL'], member('test:bobby'), []],
  [['test:bob FULL_CONTROL'], member('TEST:BOB'), []],
  [['test:bob FULL_CONTROL'], ANONYMOUS, []],
  [['AllUsers READ'], ANONYMOUS, ['READ']],
  [['AllUsers READ'], BOB, ['READ']],
  [['AllUsers FULL_CONTROL'], ANONYMOUS, ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP']],
  [['AuthenticatedUsers READ'], ANONYMOUS, []],
  [['AuthenticatedUsers READ'], BOB, ['READ']],
  [['LogDelivery WRITE'], BOB, []],
  [['LogDelivery WRITE'], ANONYMOUS, []],
  [['LogDelivery WRITE'], member('LogDelivery'), []],
];

describe('s3 rules: ACL decisions', () => {
  for (const [grants, requester, allowed] of TABLE) {
    const who = requester.kind === 'user' ? `${requester.id} (${requester.role})` : 'anonymous';
    it(`${grants.join(', ') || 'no grant'}: ${who} may ${allowed.join(', ') || 'nothing'}`, () => {
      const result = ALL.filter((access) => isAllowed(acl(...grants), requester, access));
      expect(result).to.deep.equal(allowed);
    });
  }

  it('grants no permission by another one', () => {
    for (const granted of PERMISSIONS) {
      if (granted === 'FULL_CONTROL') continue;
      const allowed = ALL.filter((access) => isAllowed(acl(`test:bob ${granted}`), BOB, access));
      expect(allowed).to.deep.equal([granted]);
    }
  });
});

describe('s3 rules: canonical ids', () => {
  const principal = { accessKey: 'AKIA1', account: 'AUTH_test', role: 'member' } as const;

  it('are the user of the credential', () => {
    expect(canonicalId({ ...principal, user: 'test:tester' })).to.equal('test:tester');
    expect(requesterOf({ ...principal, user: 'test:tester' })).to.deep.equal(member('test:tester'));
  });

  it('are made of account and access key where no user is named', () => {
    expect(canonicalId(principal)).to.equal('test:AKIA1');
    expect(canonicalId({ ...principal, account: 'KEY_test' })).to.equal('KEY_test:AKIA1');
  });
});

describe('s3 rules: requirements of operations', () => {
  const shown = (operation: OperationName) =>
    operationFacts(operation).needs.map(({ resource, access }) => `${resource} ${access}`);

  it('follow AWS', () => {
    expect(shown('ListBuckets')).to.deep.equal(['account OWNER']);
    expect(shown('ListObjectsV2')).to.deep.equal(['bucket READ']);
    expect(shown('GetObject')).to.deep.equal(['object READ']);
    expect(shown('PutObject')).to.deep.equal(['bucket WRITE']);
    expect(shown('CopyObject')).to.deep.equal(['bucket WRITE', 'source READ']);
    expect(shown('PutObjectAcl')).to.deep.equal(['object WRITE_ACP']);
  });

  it('leave configurations, and all that is unknown, to the owner', () => {
    for (const operation of ['PutBucketCors', 'DeleteBucket', 'GetBucketPolicy'] as const) {
      expect(shown(operation)).to.deep.equal(['bucket OWNER']);
    }
    expect(shown('UnknownSubresource')).to.deep.equal(['bucket OWNER']);
  });

  it('leave nothing open to the public', () => {
    const operations = Object.values(ENDPOINT_ROWS).flatMap((rows) => rows.map((row) => row[2]));
    const open = operations.filter((operation) => operationFacts(operation).needs.length === 0);
    expect(open).to.deep.equal([]);
  });
});
