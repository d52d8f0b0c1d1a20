import { expect } from 'chai';
import fc from 'fast-check';
import { PERMISSIONS } from '../../../../src/s3/rules/acl/acl.js';
import { decodeAcl, encodeAcl } from '../../../../src/s3/rules/acl/stored.js';
import { expectS3Error } from '../../support.js';
import { acl } from './support.js';

/** As Swift's s3api writes them (`json.dumps` with `separators=(',', ':')`). */
const GOLDEN: readonly (readonly [grants: readonly string[], text: string])[] = [
  [[], '{"Owner":"test:owner","Grant":[]}'],
  [
    ['AllUsers READ', 'test:owner FULL_CONTROL'],
    '{"Owner":"test:owner","Grant":[{"Permission":"READ","Grantee":"AllUsers"},' +
      '{"Permission":"FULL_CONTROL","Grantee":"test:owner"}]}',
  ],
  [
    ['AuthenticatedUsers READ_ACP', 'LogDelivery WRITE', 'test:"ä😀\u007f" WRITE_ACP'],
    '{"Owner":"test:owner","Grant":[{"Permission":"READ_ACP","Grantee":"AuthenticatedUsers"},' +
      '{"Permission":"WRITE","Grantee":"LogDelivery"},' +
      '{"Permission":"WRITE_ACP","Grantee":"test:\\"\\u00e4\\ud83d\\ude00\\u007f\\""}]}',
  ],
];

const DAMAGED: readonly string[] = [
  '{',
  'null',
  '[]',
  '"x"',
  '{"Owner":1,"Grant":[]}',
  '{"Owner":"a","Grant":{}}',
  '{"Owner":"a","Grant":[null]}',
  '{"Owner":"a","Grant":[{}]}',
  '{"Owner":"a","Grant":[{"Permission":"ALL","Grantee":"b"}]}',
  '{"Owner":"a","Grant":[{"Permission":"READ","Grantee":null}]}',
];

describe('s3 rules: stored ACLs', () => {
  for (const [grants, text] of GOLDEN) {
    it(`are written and read as s3api does: ${grants.join(', ') || 'no grant'}`, () => {
      expect(encodeAcl(acl(...grants))).to.equal(text);
      expect(decodeAcl(text)).to.deep.equal(acl(...grants));
    });
  }

  for (const text of [undefined, '', '{}', '{"Owner":null,"Grant":[]}']) {
    it(`are absent: ${String(text)}`, () => {
      expect(decodeAcl(text)).to.equal(undefined);
    });
  }

  for (const text of DAMAGED) {
    it(`open nothing when damaged: ${text}`, () => {
      expectS3Error(() => decodeAcl(text), 'InternalError');
    });
  }

  it('read back, in ASCII that a header can carry', () => {
    const user = fc.string({ unit: 'binary', minLength: 1 }).map((id) => `u:${id}`);
    const grant = fc.record({ id: user, permission: fc.constantFrom(...PERMISSIONS) });
    fc.assert(
      fc.property(fc.array(grant), (grants) => {
        const given = {
          owner: 'test:owner',
          grants: grants.map(({ id, permission }) => ({
            grantee: { kind: 'user', id } as const,
            permission,
          })),
        };
        const text = encodeAcl(given);
        expect(text).to.match(/^[\x20-\x7e]*$/);
        expect(decodeAcl(text)).to.deep.equal(given);
      }),
    );
  });
});
