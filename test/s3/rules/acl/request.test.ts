import { expect } from 'chai';
import type { Acl, AclResource } from '../../../../src/s3/rules/acl/acl.js';
import { aclOfHeaders, aclOfNew, aclOfPut } from '../../../../src/s3/rules/acl/request.js';
import { expectInvalidArgument, expectS3Error, headers } from '../../support.js';
import { acl, inShort, OWNER } from './support.js';

const OWNERS = { owner: OWNER, bucketOwner: 'test:boss' };
const SAME = { owner: OWNER, bucketOwner: OWNER };
const FULL = `${OWNER} FULL_CONTROL`;
const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';

const CANNED: readonly (readonly [
  name: string,
  resource: AclResource,
  grants: readonly string[],
])[] = [
  ['private', 'bucket', [FULL]],
  ['private', 'object', [FULL]],
  ['public-read', 'bucket', ['AllUsers READ', FULL]],
  ['public-read', 'object', ['AllUsers READ', FULL]],
  ['public-read-write', 'bucket', ['AllUsers READ', 'AllUsers WRITE', FULL]],
  ['public-read-write', 'object', ['AllUsers READ', 'AllUsers WRITE', FULL]],
  ['authenticated-read', 'object', ['AuthenticatedUsers READ', FULL]],
  ['bucket-owner-read', 'object', ['test:boss READ', FULL]],
  ['bucket-owner-full-control', 'object', ['test:boss FULL_CONTROL', FULL]],
  ['log-delivery-write', 'bucket', ['LogDelivery WRITE', 'LogDelivery READ_ACP', FULL]],
];

const GRANT_HEADERS: readonly (readonly [
  headers: Readonly<Record<string, string>>,
  grants: readonly string[],
])[] = [
  [{ 'x-amz-grant-read': 'id="test:bob"' }, ['test:bob READ']],
  [{ 'x-amz-grant-read': 'id=test:bob' }, ['test:bob READ']],
  [{ 'x-amz-grant-read': "id='test:bob'" }, ['test:bob READ']],
  [{ 'x-amz-grant-read': 'ID = "test:bob"' }, ['test:bob READ']],
  [{ 'x-amz-grant-write': `uri="${ALL_USERS}"` }, ['AllUsers WRITE']],
  [{ 'x-amz-grant-write': `URI=${ALL_USERS}` }, ['AllUsers WRITE']],
  [
    { 'x-amz-grant-read-acp': 'id="a:b" , id="c:d",id=e' },
    ['a:b READ_ACP', 'c:d READ_ACP', 'e READ_ACP'],
  ],
  [{ 'x-amz-grant-full-control': 'id="a,b"' }, ['a,b FULL_CONTROL']],
  [
    { 'x-amz-grant-write-acp': 'id="x"', 'x-amz-grant-full-control': 'id="y"' },
    ['y FULL_CONTROL', 'x WRITE_ACP'],
  ],
];

const MALFORMED_GRANTS: readonly string[] = [
  '',
  'test:bob',
  '="x"',
  'name="x"',
  'id="x" extra',
  'id="x',
  'id=x"',
  'id="a"b"',
  'id="x",',
  ',id="x"',
  'id=""',
  'id="AllUsers"',
  'id="LogDelivery"',
  'id="toString\u0001"',
  'id="\uFFFD"',
  `id="${'x'.repeat(257)}"`,
  'uri="http://acs.amazonaws.com/groups/global/Nobody"',
  'uri="AllUsers"',
];

describe('s3 rules: canned ACLs', () => {
  for (const [name, resource, grants] of CANNED) {
    it(`${name} on a ${resource}`, () => {
      const result = aclOfNew(headers({ 'x-amz-acl': name }), resource, OWNERS);
      expect(result.owner).to.equal(OWNER);
      expect(inShort(result)).to.deep.equal(grants);
    });
  }

  for (const name of ['bucket-owner-read', 'bucket-owner-full-control']) {
    it(`${name} is private where both owners are one`, () => {
      for (const resource of ['bucket', 'object'] as const) {
        const result = aclOfNew(headers({ 'x-amz-acl': name }), resource, SAME);
        expect(inShort(result)).to.deep.equal([FULL]);
      }
    });
  }

  for (const [name, resource] of [
    ['', 'bucket'],
    ['Private', 'bucket'],
    ['public', 'object'],
    ['log-delivery-write', 'object'],
    ['toString', 'object'],
  ] as const) {
    it(`refuses "${name}" on a ${resource}`, () => {
      const given = headers({ 'x-amz-acl': name });
      expectInvalidArgument(() => aclOfNew(given, resource, SAME), 'x-amz-acl', name);
    });
  }

  it('has no EC2 to grant to', () => {
    const given = headers({ 'x-amz-acl': 'aws-exec-read' });
    expectS3Error(() => aclOfNew(given, 'object', SAME), 'NotImplemented');
  });
});

describe('s3 rules: grants in headers', () => {
  for (const [given, grants] of GRANT_HEADERS) {
    it(JSON.stringify(given), () => {
      const result = aclOfNew(headers(given), 'object', OWNERS);
      expect(result.owner).to.equal(OWNER);
      expect(inShort(result)).to.deep.equal(grants);
    });
  }

  for (const value of MALFORMED_GRANTS) {
    it(`refuses ${JSON.stringify(value.slice(0, 40))}`, () => {
      const given = headers({ 'x-amz-grant-read': value });
      expectS3Error(() => aclOfNew(given, 'bucket', SAME), 'InvalidArgument');
    });
  }

  it('says which argument is wrong', () => {
    const granting = (value: string) => () =>
      aclOfNew(headers({ 'x-amz-grant-read': value }), 'bucket', SAME);
    expectInvalidArgument(granting('id="AllUsers"'), 'id', 'AllUsers');
    expectInvalidArgument(granting('uri="x"'), 'uri', 'x');
    expectInvalidArgument(granting(' who=x'), 'x-amz-grant-read', 'who=x');
  });

  it('knows no e-mail addresses', () => {
    const given = headers({ 'x-amz-grant-read': 'emailAddress="bob@example.com"' });
    expectS3Error(() => aclOfNew(given, 'bucket', SAME), 'UnresolvableGrantByEmailAddress');
  });

  it('knows five permissions', () => {
    const given = headers({ 'x-amz-grant-delete': 'id="x"' });
    expectS3Error(() => aclOfNew(given, 'bucket', SAME), 'NotImplemented', {
      Header: 'x-amz-grant-delete',
    });
  });

  it('takes up to a hundred grants, of all headers together', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `id=u${i}`).join(',');
    const given = (more: number) =>
      headers({ 'x-amz-grant-read': many(60), 'x-amz-grant-write': many(more) });
    expect(aclOfNew(given(40), 'bucket', SAME).grants).to.have.length(100);
    expectS3Error(() => aclOfNew(given(41), 'bucket', SAME), 'InvalidArgument');
  });

  it('refuses grants next to a canned ACL', () => {
    const given = headers({ 'x-amz-acl': 'private', 'x-amz-grant-read': 'id="x"' });
    const { message } = expectS3Error(() => aclOfHeaders(given, 'bucket', SAME), 'InvalidRequest');
    expect(message).to.equal('Specifying both Canned ACLs and Header Grants is not allowed');
  });
});

describe('s3 rules: the ACL of a request', () => {
  const document = acl('test:bob READ');

  it('is private for what is created without a word', () => {
    expect(inShort(aclOfNew(headers({}), 'object', OWNERS))).to.deep.equal([FULL]);
    expect(aclOfHeaders(headers({}), 'object', OWNERS)).to.equal(undefined);
  });

  it('is the headers or the document', () => {
    const put = (given: Record<string, string>, document?: Acl) =>
      inShort(aclOfPut(headers(given), document, 'bucket', SAME));
    expect(put({}, document)).to.deep.equal(['test:bob READ']);
    expect(put({ 'x-amz-acl': 'private' })).to.deep.equal([FULL]);
    expect(put({ 'x-amz-grant-read': 'id=x' })).to.deep.equal(['x READ']);
  });

  it('cannot be both, nor neither', () => {
    const put = (given: Record<string, string>, document?: Acl) => () =>
      aclOfPut(headers(given), document, 'bucket', SAME);
    expectS3Error(put({ 'x-amz-acl': 'private' }, document), 'UnexpectedContent', {});
    expectS3Error(put({ 'x-amz-grant-read': 'id=x' }, document), 'UnexpectedContent', {});
    expectS3Error(put({}), 'MissingSecurityHeader', { MissingHeaderName: 'x-amz-acl' });
  });

  it('cannot have another owner than the resource', () => {
    const owners = { owner: 'test:boss', bucketOwner: 'test:boss' };
    const put = () => aclOfPut(headers({}), document, 'bucket', owners);
    expectS3Error(put, 'AccessDenied');
  });
});
