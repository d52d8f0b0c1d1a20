import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { ConfigError } from '../../src/config/problem.js';
import { parseTempauth } from '../../src/config/tempauth.js';
import { describeWith, pythonModule } from '../support/needs.js';
import { mustRun } from '../support/programs.js';

const ORACLE = join(process.cwd(), 'test/config/python/tempauth_users.py');
const FILES = 600;

/** `key account groups` by access key, or the word that there is none. */
type Users = Readonly<Record<string, readonly string[]>> | 'refused';

/** Of what configurations are made of, in any order: most of them mean something, some do not. */
const LINE = fc.constantFrom(
  '[DEFAULT]',
  '[filter:other]',
  '[filter:tempauth] ; again',
  '# user_comment_a = k',
  '  ; comment',
  '',
  '   ',
  'reseller_prefix = SWIFT',
  "reseller_prefix = '', B",
  'reseller_prefix =',
  'dir = 50%',
  'dir = k%%k',
  'set dir = x',
  'user_test_tester = testing .admin',
  'user_test_tester: other .reseller_admin',
  'USER_test_upper = k',
  'user_a_percent = 1%%2%',
  'user_a_refers = %(dir)s .admin',
  'user_a_refers2 = %(dir)s%%',
  'user_a_here = x%(none)s',
  'set user_a_set = k .admin',
  'get user_a_get = dir',
  'user_a_spaces   =   k   .admin   g',
  'user_a_empty =',
  'user_a_url = k .admin https://h/v1/AUTH_url',
  'user_a_host = k $HOST/v1/AUTH_host',
  'user_one = k',
  'user_a_b_c = k',
  'user64_dGVzdA_dGVzdGVyMg = k',
  'user64_dW5kZXJfc2NvcmU_YV9i = k .admin',
  'user64_8J-_YQ_a = k',
  '    .admin',
  '  continued = x',
  '\t.reseller_admin',
  'no option',
  '= nameless',
);

const TEXT = fc
  .tuple(
    fc.array(LINE, { maxLength: 8 }),
    fc.array(LINE, { maxLength: 12 }),
    fc.constantFrom('\n', '\r\n', '\r'),
  )
  .map(([before, inside, end]) =>
    [
      '[DEFAULT]',
      ...before,
      '[filter:tempauth]',
      'use = egg:swift#tempauth',
      'log_name = x',
      ...inside,
    ].join(end),
  );

describeWith([pythonModule('swift')], "config: tempauth's users, as Swift reads them", () => {
  it('gives the same users, and refuses what Swift refuses', async () => {
    const texts = fc.sample(TEXT, FILES);
    const input = JSON.stringify(texts);
    const { stdout } = await mustRun('python3', [ORACLE], { input });
    const answers = stdout.trim().split('\n').map(readAnswer);
    expect(answers).to.have.length(FILES);
    let accepted = 0;
    texts.forEach((text, index) => {
      const expected = answers[index] ?? 'refused';
      if (expected !== 'refused') accepted += 1;
      expect(readOurs(text), text).to.deep.equal(expected);
    });
    expect(accepted, 'files that mean something').to.be.greaterThan(FILES / 100);
  });
});

function readAnswer(line: string): Users {
  const answer = JSON.parse(line) as string | Record<string, [string, string, string[]]>;
  // A configuration without any user starts Swift, and is of no use here.
  if (typeof answer === 'string' || Object.keys(answer).length === 0) return 'refused';
  return Object.fromEntries(
    Object.entries(answer).map(([name, [key, account, groups]]) => {
      const isOwner = groups.includes('.admin') || groups.includes('.reseller_admin');
      return [name, [key, account, isOwner ? 'owner' : 'member']];
    }),
  );
}

function readOurs(text: string): Users {
  try {
    return Object.fromEntries(
      parseTempauth(text, '/etc/swift/proxy-server.conf').map(
        ({ accessKey, secretKey, account, role }) => [accessKey, [secretKey, account, role]],
      ),
    );
  } catch (error) {
    if (error instanceof ConfigError) return 'refused';
    throw error;
  }
}
