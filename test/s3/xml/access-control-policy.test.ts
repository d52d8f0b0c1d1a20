import { expect } from 'chai';
import {
  parseAccessControlPolicy,
  renderAccessControlPolicy,
} from '../../../src/s3/xml/access-control-policy.js';
import { acl } from '../rules/acl/support.js';
import { expectInvalidArgument, expectS3Error } from '../support.js';

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';

const DOCUMENT =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
  '<Owner><ID>test:owner</ID><DisplayName>test:owner</DisplayName></Owner><AccessControlList>' +
  `<Grant><Grantee ${XSI} xsi:type="Group"><URI>${ALL_USERS}</URI></Grantee>` +
  '<Permission>READ</Permission></Grant>' +
  `<Grant><Grantee ${XSI} xsi:type="CanonicalUser"><ID>test:a&amp;b</ID>` +
  '<DisplayName>test:a&amp;b</DisplayName></Grantee><Permission>FULL_CONTROL</Permission></Grant>' +
  '</AccessControlList></AccessControlPolicy>';

const OWNER = '<Owner><ID>test:owner</ID></Owner>';
const BOB = '<ID>test:bob</ID>';

function policy(inner: string): Buffer {
  return Buffer.from(`<AccessControlPolicy>${inner}</AccessControlPolicy>`);
}

function grant(type: string, grantee: string, permission = 'READ'): string {
  return (
    `<Grant><Grantee ${XSI}${type === '' ? '' : ` xsi:type="${type}"`}>${grantee}</Grantee>` +
    `<Permission>${permission}</Permission></Grant>`
  );
}

function withGrants(grants: string): Buffer {
  return policy(`${OWNER}<AccessControlList>${grants}</AccessControlList>`);
}

const MALFORMED: readonly (readonly [what: string, body: Buffer])[] = [
  ['no XML', Buffer.from('x')],
  ['another root', Buffer.from('<AccessControlList/>')],
  ['a document type', Buffer.from('<!DOCTYPE x><AccessControlPolicy/>')],
  ['nothing in it', policy('')],
  ['no owner', policy('<AccessControlList/>')],
  ['no id of the owner', policy('<Owner/><AccessControlList/>')],
  ['two owners', policy(`${OWNER}${OWNER}<AccessControlList/>`)],
  ['no list', policy(OWNER)],
  ['two lists', policy(`${OWNER}<AccessControlList/><AccessControlList/>`)],
  ['an unknown element', policy(`${OWNER}<AccessControlList/><Other/>`)],
  ['an unknown element in the list', withGrants('<Other/>')],
  ['an empty grant', withGrants('<Grant/>')],
  ['no grantee', withGrants('<Grant><Permission>READ</Permission></Grant>')],
  ['no type', withGrants(grant('', BOB))],
  ['an unknown type', withGrants(grant('User', BOB))],
  ['no id', withGrants(grant('CanonicalUser', ''))],
  ['a group by id', withGrants(grant('Group', BOB))],
  ['an unknown permission', withGrants(grant('CanonicalUser', BOB, 'DELETE'))],
  ['a permission in lower case', withGrants(grant('CanonicalUser', BOB, 'read'))],
  ['no e-mail address', withGrants(grant('AmazonCustomerByEmail', ''))],
  ['101 grants', withGrants(grant('CanonicalUser', BOB).repeat(101))],
];

describe('s3 xml: AccessControlPolicy', () => {
  const sample = acl('AllUsers READ', 'test:a&b FULL_CONTROL');

  it('is rendered as AWS does', () => {
    expect(renderAccessControlPolicy(sample)).to.equal(DOCUMENT);
  });

  it('is read', () => {
    expect(parseAccessControlPolicy(Buffer.from(DOCUMENT))).to.deep.equal(sample);
  });

  it('may have no grants, or a hundred', () => {
    expect(parseAccessControlPolicy(withGrants(''))).to.deep.equal(acl());
    const hundred = withGrants(grant('CanonicalUser', BOB).repeat(100));
    expect(parseAccessControlPolicy(hundred).grants).to.have.length(100);
  });

  it('is read with white space around its values', () => {
    const body = policy(
      '\n <Owner>\n <ID>\n test:owner </ID>\n </Owner>\n <AccessControlList>\n ' +
        `${grant('CanonicalUser', '<ID> test:bob\n</ID>', ' READ ')}\n </AccessControlList>`,
    );
    expect(parseAccessControlPolicy(body)).to.deep.equal(acl('test:bob READ'));
  });

  for (const [what, body] of MALFORMED) {
    it(`is malformed with ${what}`, () => {
      expectS3Error(() => parseAccessControlPolicy(body), 'MalformedACLError');
    });
  }

  it('has grantees that can be', () => {
    const parsing = (type: string, grantee: string) => () =>
      parseAccessControlPolicy(withGrants(grant(type, grantee)));
    const id = parsing('CanonicalUser', '<ID>AllUsers</ID>');
    expectInvalidArgument(id, 'CanonicalUser/ID', 'AllUsers');
    expectInvalidArgument(parsing('Group', '<URI>x</URI>'), 'Group/URI', 'x');
    const email = '<EmailAddress>bob@example.com</EmailAddress>';
    expectS3Error(parsing('AmazonCustomerByEmail', email), 'UnresolvableGrantByEmailAddress');
  });

  it('is bounded', () => {
    const body = Buffer.alloc(1024 * 1024 + 1, ' ');
    expectS3Error(() => parseAccessControlPolicy(body), 'MaxMessageLengthExceeded');
  });
});
