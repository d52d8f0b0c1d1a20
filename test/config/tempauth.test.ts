import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../src/config/problem.js';
import { readRoster } from '../../src/config/roster-source.js';
import { readTempauthFile, parseTempauth } from '../../src/config/tempauth.js';
import { useEach } from '../support/fixture.js';
import { useTempFolder } from '../support/temp-folder.js';

const FILE = '/etc/swift/proxy-server.conf';

/** `access key secret account role user`, of each credential. */
function rosterOf(lines: string): string[] {
  return parseTempauth(`[filter:tempauth]\nuse = egg:swift#tempauth\n${lines}\n`, FILE).map(
    ({ accessKey, secretKey, account, role, user = '-' }) =>
      [accessKey, secretKey, account, role, user].join(' '),
  );
}

function problemsOf(act: () => unknown): string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

const base64 = (text: string): string => Buffer.from(text).toString('base64').replaceAll('=', '');

describe("config: tempauth's users", () => {
  for (const [name, line, expected] of [
    ['an owner', 'user_test_tester = testing .admin', 'test:tester testing AUTH_test owner'],
    ['a member', 'user_test_tester2 = testing2', 'test:tester2 testing2 AUTH_test member'],
    ['a reseller', 'user_a_b = k .reseller_admin', 'a:b k AUTH_a owner'],
    ['a reader of everything', 'user_a_b = k .reseller_reader', 'a:b k AUTH_a member'],
    ['many groups', 'user_a_b = k one .admin two', 'a:b k AUTH_a owner'],
    ['a storage URL', 'user_a_b = k .admin https://h/v1/AUTH_x', 'a:b k AUTH_x owner'],
    ["the host's storage URL", 'user_a_b = k $HOST/v1/X_1', 'a:b k X_1 member'],
    ['a quoted storage URL', 'user_a_b = k http://h/v1/AUTH_a%2Bb', 'a:b k AUTH_a+b member'],
    ['a prefix', 'reseller_prefix = SWIFT\nuser_a_b = k', 'a:b k SWIFT_a member'],
    ['prefixes', 'reseller_prefix = A_, SERVICE\nuser_a_b = k', 'a:b k A_a member'],
    ['no prefix', "reseller_prefix = ''\nuser_a_b = k", 'a:b k a member'],
    ['a continuation', 'user_a_b = k\n  .admin', 'a:b k AUTH_a owner'],
    ['percent signs', 'user_a_b = 1%%2% .admin', 'a:b 1%%2% AUTH_a owner'],
    ['a required group', 'require_group = g\nuser_a_b = k .admin', 'a:b k AUTH_a member'],
    ['its group', 'AUTH_require_group = g\nuser_a_b = k .admin g', 'a:b k AUTH_a owner'],
  ] as const) {
    it(`reads ${name}`, () => {
      const [accessKey] = expected.split(' ');
      expect(rosterOf(line)).to.deep.equal([`${expected} ${accessKey}`]);
    });
  }

  it('reads names in base64, and leaves those to ACLs that they can name', () => {
    const line = (account: string, user: string): string =>
      `user64_${base64(account)}_${base64(user)} = k`;
    expect(rosterOf(line('under_score', 'a_b'))).to.deep.equal([
      'under_score:a_b k AUTH_under_score member under_score:a_b',
    ]);
    expect(rosterOf(line('käse', 'b c'))).to.deep.equal(['käse:b c k AUTH_käse member -']);
    // Tempauth itself pads these names.
    expect(rosterOf('user64_dGVzdA_dGVzdGVy = k')).to.deep.equal([
      'test:tester k AUTH_test member test:tester',
    ]);
  });

  it('finds the filter under another name, when there is one', () => {
    const filter = (name: string): string => `[filter:${name}]\nuse = egg:swift#tempauth\n`;
    expect(parseTempauth(`${filter('auth')}user_a_b = k`, FILE)).to.have.length(1);
    const two = `${filter('auth')}user_a_b = k\n${filter('other')}user_c_d = k`;
    const absent = [`${FILE}: expected a section [filter:tempauth]`];
    expect(problemsOf(() => parseTempauth(two, FILE))).to.deep.equal(absent);
    expect(problemsOf(() => parseTempauth('', FILE))).to.deep.equal(absent);
  });

  for (const [name, lines, expected] of [
    ['nobody', '', /^\S+: \[filter:tempauth\]: expected at least one user_/],
    ['no key', 'user_a_b =', /line 3: user_a_b: got 0 characters, expected a key behind/],
    ['one name', 'user_a = k', /line 3: user_a: .*user_<account>_<user>/],
    ['three names', 'user_a_b_c = k', /names with underscores go into user64_/],
    ['no base64', 'user64_a!_b = k', /in base64/],
    ['the alphabet of URLs', 'user64_-A_YQ = k', /in base64/],
    ['no UTF-8', 'user64_/w_YQ = k', /in base64 of UTF-8/],
    ['a slash', `user64_${base64('a/b')}_YQ = k`, /without slashes/],
    ['the same user twice', 'user_a_b = k\nuser64_YQ_Yg = l', /line 4: .*a:b is there already/],
    ['an account without a name', 'user_a_b = k http://h/v1/', /ends with an account/],
    ['a broken percent', 'user_a_b = %(x)s', /line 3: expected %\(name\)s/],
  ] as const) {
    it(`refuses ${name}`, () => {
      const problems = problemsOf(() => rosterOf(lines));
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(expected);
    });
  }

  it('reports all mistakes, and never a key', () => {
    const problems = problemsOf(() => rosterOf('user_a = hush1\nuser_b_c_d = hush2'));
    expect(problems).to.have.length(2);
    expect(problems.join()).not.to.include('hush');
  });

  describe('in a file', () => {
    const folder = useTempFolder('tempauth');
    const conf = useEach(() => join(folder(), 'proxy-server.conf'));

    it('warns of one that every user of the machine can read', async () => {
      await writeFile(conf(), '[filter:tempauth]\nuser_a_b = hush .admin\n', { mode: 0o640 });
      expect(readTempauthFile(conf()).warnings).to.deep.equal([]);
      await chmod(conf(), 0o644);
      const { warnings } = readTempauthFile(conf());
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(/has the mode 0644.*chmod 640/);
    });

    it('names the key where it cannot be read', () => {
      const line = (file: string): string => problemsOf(() => readTempauthFile(file)).join();
      expect(line(conf())).to.match(/^tempauth_conf \(.*\): expected a readable file \(ENOENT/);
      expect(line(folder())).to.match(/^tempauth_conf \(.*\): expected a file of at most/);
    });

    it('says that variables are not used', async () => {
      await writeFile(conf(), '[filter:tempauth]\nuser_a_b = hush .admin\n', { mode: 0o600 });
      const options = {
        credentialsSource: 'tempauth',
        credentialsFile: '',
        tempauthConf: conf(),
        identityUser: '',
        identityKeyFile: '',
      } as const;
      const env = { RINGWAY_ACCESS_KEY: 'OPERATOR', RINGWAY_SECRET_KEY: 'not-a-secret-key' };
      expect(readRoster(options, {})?.warnings).to.deep.equal([]);
      expect(readRoster(options, env)?.warnings.join()).to.match(/RINGWAY_ACCESS_KEY is not used/);
    });
  });
});
