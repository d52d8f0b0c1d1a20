import { expect } from 'chai';
import { createHmac } from 'node:crypto';
import { aclAllows, cleanAcl } from '../../src/swift-api/auth/authorise.js';
import { issueToken, userOfToken } from '../../src/swift-api/auth/login.js';
import { Users } from '../../src/swift-api/auth/users.js';
import { SwiftError } from '../../src/swift-api/swift-error.js';
import { readTempUrl, isSignedWith, signedText } from '../../src/swift-api/tempurl/parameters.js';
import { ROSTER } from './support/api.js';

/**
 * The results of Swift 2.30.1 itself, computed with its own Python: clean_acl, parse_acl and
 * referrer_allowed of swift.common.middleware.acl, get_hmac of swift.common.digest.
 */

describe('swift api: container ACLs, as Swift has them', () => {
  const cleaned: readonly (readonly ['read' | 'write', string, string])[] = [
    ['read', '.r:*,.rlistings', '.r:*,.rlistings'],
    ['read', ' bob , .referrer : *.example.com,,', 'bob,.r:.example.com'],
    ['read', '.ref:-*.thief.com, a:b', '.r:-.thief.com,a:b'],
    ['write', 'test:tester,  acct', 'test:tester,acct'],
    ['read', '.referer:example.com', '.r:example.com'],
    ['read', "it's:ok", "it's:ok"],
    ['read', '.r:- host', '.r:-host'],
  ];
  for (const [kind, given, kept] of cleaned) {
    it(`keeps ${JSON.stringify(given)} as ${kept}`, () => {
      expect(cleanAcl(given, kind)).to.equal(kept);
    });
  }

  const refused: readonly (readonly ['read' | 'write', string, string])[] = [
    ['read', '.r:', "No host/domain value after referrer designation in ACL: '.r:'"],
    ['read', '.r:-', "No host/domain value after referrer designation in ACL: '.r:-'"],
    ['read', '.r:.', "No host/domain value after referrer designation in ACL: '.r:.'"],
    ['read', '.x:y', "Unknown designator '.x' in ACL: '.x:y'"],
    ['write', '.r:*', "Referrers not allowed in write ACL: '.r:*'"],
  ];
  for (const [kind, given, message] of refused) {
    it(`refuses ${given}`, () => {
      expect(() => cleanAcl(given, kind))
        .to.throw(SwiftError)
        .that.includes({ status: 400, body: message });
    });
  }

  const referrers: readonly (readonly [string, string | undefined, boolean])[] = [
    ['.r:*', undefined, true],
    ['.r:*', 'http://x.org/a', true],
    ['.r:.example.com', 'http://www.example.com:80/p', true],
    ['.r:.example.com', 'http://example.com/', false],
    ['.r:example.com', 'http://example.com/', true],
    ['.r:*,.r:-.thief.com', 'http://a.thief.com/', false],
    ['.r:-.thief.com,.r:*', 'http://a.thief.com/', true],
    ['.r:example.com', 'nonsense', false],
    ['.r:unknown', undefined, true],
    ['.r:*,.r:-unknown', undefined, false],
  ];
  for (const [acl, referrer, allowed] of referrers) {
    it(`${allowed ? 'lets' : 'does not let'} ${referrer ?? 'a client without a referrer'} in by ${acl}`, () => {
      const subject = { groups: new Set<string>(), referrer };
      expect(aclAllows(acl, subject, true)).to.equal(allowed);
      expect(aclAllows(acl, subject, false)).to.equal(false);
      expect(aclAllows(`${acl},.rlistings`, subject, false)).to.equal(allowed);
    });
  }

  it('lets accounts and users in by their names', () => {
    const subject = { groups: new Set(['test', 'test:anna']), referrer: undefined };
    expect(aclAllows('test:anna', subject, false)).to.equal(true);
    expect(aclAllows('other,test', subject, true)).to.equal(true);
    expect(aclAllows('test:bob,.rlistings', subject, false)).to.equal(false);
  });
});

describe('swift api: TempURLs, as Swift signs them', () => {
  const expiresAtS = 1_767_225_600;
  const signed: readonly (readonly [
    method: string,
    path: string,
    key: string,
    digest: string,
    signature: string,
    limits?: { readonly prefix?: string; readonly ipRange?: string },
  ])[] = [
    [
      'GET',
      'c/o',
      'mykey',
      'sha256',
      '67efc13aa344e67113af50633957a7693845247b90a988cd4717cd98988bdab9',
    ],
    [
      'PUT',
      'c/grüße ?#%/☃',
      'mykey',
      'sha512',
      '086816cd19b2f7969fd27c6216aa77ef59eef993de7ac1f040c67c8fd5550a1874d0b52e7c5869df2d66c7c1ee8121ae06a1f36d0a77f83b6b873b0cc8473923',
    ],
    [
      'GET',
      'c/pre/x',
      'k2',
      'sha256',
      '8176bd4b1ea3814829d38551f298b6914881841f0204bfe4fc924ff6ad140ffa',
      { prefix: 'pre/' },
    ],
    [
      'GET',
      'c/o',
      'mykey',
      'sha256',
      'dc31e8cddf78e52680143980fd15a61fe239bd5625e2ef31defb795a7c962d20',
      { ipRange: '10.0.0.0/8' },
    ],
    [
      'HEAD',
      'c/o',
      'mykey',
      'sha512',
      '63b940923855b6e558dc21b27aa2b048a81cfa2dd539879cb8bb88fb8409948e91cf90896c8191583d2f930e169a0ea7ab6bcee32374f4635f4f805b464730a7',
      { ipRange: '1.2.3.4' },
    ],
  ];
  for (const [method, path, key, digest, signature, { prefix, ipRange } = {}] of signed) {
    it(`${method} of ${path}${prefix === undefined ? '' : ' by its prefix'} with ${digest}`, () => {
      const ref = { account: 'AUTH_test', container: 'c', object: path.slice('c/'.length) };
      const text = signedText(method, ref, { expiresAtS, prefix, ipRange });
      expect(createHmac(digest, key).update(text).digest('hex')).to.equal(signature);
      const query = new Map([
        ['temp_url_sig', signature],
        ['temp_url_expires', '2026-01-01T00:00:00Z'],
        ...(prefix === undefined ? [] : [['temp_url_prefix', prefix] as const]),
        ...(ipRange === undefined ? [] : [['temp_url_ip_range', ipRange] as const]),
      ]);
      const parameters = readTempUrl(query, expiresAtS - 1);
      expect(parameters?.expiresAtS).to.equal(expiresAtS);
      expect(isSignedWith(key, method, ref, parameters!)).to.equal(true);
      expect(isSignedWith('other', method, ref, parameters!)).to.equal(false);
      expect(readTempUrl(query, expiresAtS + 1)).to.equal(undefined);
    });
  }

  it('takes base64 with the name of the digest, and no SHA-1', () => {
    const bytes = createHmac('sha256', 'k').update('x').digest();
    const query = (signature: string) =>
      new Map([
        ['temp_url_sig', signature],
        ['temp_url_expires', String(expiresAtS)],
      ]);
    for (const encoding of ['base64', 'base64url'] as const) {
      const parameters = readTempUrl(query(`sha256:${bytes.toString(encoding)}`), 0);
      expect(parameters?.signature.bytes).to.deep.equal(bytes);
    }
    expect(readTempUrl(query('a'.repeat(40)), 0)).to.equal(undefined);
    expect(readTempUrl(query(`sha1:${'a'.repeat(28)}`), 0)).to.equal(undefined);
    expect(readTempUrl(query(`sha512:${bytes.toString('base64')}`), 0)).to.equal(undefined);
  });
});

describe('swift api: tokens', () => {
  const users = new Users(ROSTER);
  const [user] = users.named('test:tester');

  it('name their user until they expire, also to another process', () => {
    const token = issueToken(user!, 1000);
    expect(userOfToken(new Users(ROSTER), token, 999)?.name).to.equal('test:tester');
    expect(userOfToken(users, token, 1000)).to.equal(undefined);
  });

  it('are refused when anything of them is changed, or the secret key is', () => {
    const token = issueToken(user!, 1000);
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      // The last character of base64 has bits that mean nothing.
      if (at === token.length - 1) continue;
      expect(userOfToken(users, changed, 0), changed).to.equal(undefined);
    }
    const rekeyed = ROSTER.map((entry) => ({ ...entry, secretKey: 'another one' }));
    expect(userOfToken(new Users(rekeyed), token, 0)).to.equal(undefined);
    expect(userOfToken(new Users([]), token, 0)).to.equal(undefined);
  });
});
