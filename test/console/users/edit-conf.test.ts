import { expect } from 'chai';
import { parseTempauth } from '../../../src/config/tempauth.js';
import { ApiError } from '../../../console/server/api-error.js';
import { editConf } from '../../../console/surfaces/users/edit-conf.js';
import { newKey, type UserChange } from '../../../console/surfaces/users/user-change.js';

const KEY = 'a-new-key-of-the-user';
const CONF = `# A proxy.
[DEFAULT]
bind_port = 8080

[pipeline:main]
pipeline = catch_errors cache tempauth proxy-server

[filter:tempauth]
use = egg:swift#tempauth
# Who runs the cluster.
user_admin_admin = adminkey .admin .reseller_admin
; Testers.
user_test_tester = testing .admin custom http://store/v1/AUTH_other
user64_dGVzdF8y_dXNlcg = k%%1

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
`;

const add = (account: string, user: string): UserChange => ({
  action: 'add',
  account,
  user,
  groups: ['.admin'],
});
const change = (more: object): UserChange => ({
  action: 'change',
  account: 'test',
  user: 'tester',
  new_key: false,
  ...more,
});

function refusal(conf: string, asked: UserChange): string {
  try {
    editConf(conf, asked, KEY);
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return '';
}

describe('console users: editing a configuration', () => {
  it('adds one line behind the last user, and leaves all else to the byte', () => {
    const { text, diff } = editConf(CONF, add('under_score', 'käse'), KEY);
    const line = `user64_dW5kZXJfc2NvcmU_a8Okc2U = ${KEY} .admin\n`;
    expect(text).to.equal(CONF.replace('k%%1\n', `k%%1\n${line}`));
    expect(diff).to.deep.equal([
      { line: 15, sign: '+', text: 'user64_dW5kZXJfc2NvcmU_a8Okc2U = <new key> .admin' },
    ]);
    const roster = parseTempauth(text, 'x');
    expect(roster.at(-1)).to.include({ accessKey: 'under_score:käse', secretKey: KEY });
  });

  it('changes the key of a user alone, or the groups alone, in their place', () => {
    const key = editConf(CONF, change({ new_key: true }), KEY);
    const rest = '.admin custom http://store/v1/AUTH_other';
    expect(key.text).to.equal(
      CONF.replace(`user_test_tester = testing ${rest}`, `user64_dGVzdA_dGVzdGVy = ${KEY} ${rest}`),
    );
    expect(JSON.stringify(key.diff)).not.to.match(/testing|store\/v1|a-new-key/);
    const groups = editConf(CONF, change({ groups: ['.reseller_reader'] }), '');
    expect(groups.text).to.include(
      'user64_dGVzdA_dGVzdGVy = testing .reseller_reader custom http://store/v1/AUTH_other\n',
    );
  });

  it('removes a line', () => {
    const { text } = editConf(CONF, { action: 'remove', account: 'test_2', user: 'user' }, '');
    expect(text).to.equal(CONF.replace('user64_dGVzdF8y_dXNlcg = k%%1\n', ''));
  });

  for (const [title, conf] of [
    ['line ends of other systems', CONF.replaceAll('\n', '\r\n')],
    ['a file without an end of its last line', '[filter:tempauth]\nuser_test_tester = testing'],
    ['options that are indented', '[filter:tempauth]\n  a = 1\n  user_test_tester = k\n  b = 2\n'],
    [
      'an option behind the users that goes on',
      `[filter:tempauth]\nuser_test_tester = k\nb = 2\n  3\n`,
    ],
  ] as const) {
    it(`keeps ${title}`, () => {
      const added = editConf(conf, add('a', 'b'), KEY).text;
      expect(editConf(added, { action: 'remove', account: 'a', user: 'b' }, '').text).to.equal(
        conf.endsWith('\n') ? conf : `${conf}\n`,
      );
      const changed = editConf(conf, change({ new_key: true }), KEY).text;
      expect(parseTempauth(changed, 'x').some((one) => one.secretKey === KEY)).to.equal(true);
    });
  }

  it('leaves alone what it cannot change for sure', () => {
    const section = (lines: string) => `[filter:tempauth]\n${lines}\n`;
    for (const conf of [
      section('user_test_tester = testing\n  .admin'),
      section('secret = testing\nuser_test_tester = %(secret)s'),
      `[DEFAULT]\nuser_test_tester = testing\n${section('')}`,
      section('set user_test_tester = testing'),
    ]) {
      expect(refusal(conf, change({ new_key: true })), conf).to.equal('conflict');
    }
  });

  it('refuses whom there is, whom there is not, and files that are none', () => {
    expect(refusal(CONF, add('test', 'tester'))).to.equal('conflict');
    expect(refusal(CONF, change({ user: 'nobody' }))).to.equal('not_found');
    expect(refusal(CONF.replaceAll('tempauth', 'keystone'), add('a', 'b'))).to.equal(
      'unsupported_here',
    );
    const elsewhere = CONF.replace('cache tempauth', 'cache keystoneauth');
    expect(refusal(elsewhere, add('a', 'b'))).to.equal('unsupported_here');
    expect(refusal(`${CONF}\ngarbage\n`, add('a', 'b'))).to.equal('unprocessable');
    expect(refusal(CONF.replace('testing', '%(nowhere)s'), add('a', 'b'))).to.equal(
      'unprocessable',
    );
    expect(refusal('{"credentials": []}', add('a', 'b'))).to.equal('unprocessable');
  });

  it('writes no key that a proxy would read as something else', () => {
    for (const key of ['%(here)s-and-more', 'two words of it', 'short', 'line\nend-of-it-all']) {
      expect(() => editConf(CONF, add('a', 'b'), key), key).to.throw('cannot stand');
    }
    for (let i = 0; i < 100; i++) expect(newKey()).to.match(/^[A-Za-z0-9_-]{43}$/);
  });
});
