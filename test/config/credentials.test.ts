import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ensureCredentials, readCredentials } from '../../src/config/roster-source.js';
import {
  generateCredential,
  nextExpiry,
  parseCredentials,
  parseRecords,
  renderCredentials,
} from '../../src/config/credentials.js';
import { ConfigError } from '../../src/config/problem.js';
import { useEach } from '../support/fixture.js';
import { useTempFolder } from '../support/temp-folder.js';

const ENV = { RINGWAY_ACCESS_KEY: 'OPERATOR', RINGWAY_SECRET_KEY: 'not-a-secret-key' };
const ENTRY = {
  access_key: 'AK1',
  secret_key: 'hush-hush-hush',
  account: 'AUTH_main',
  role: 'owner',
};

function problemsOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('config: credentials', () => {
  const folder = useTempFolder('credentials');
  const file = useEach(() => join(folder(), 'credentials.json'));

  it('generates one at the first start, and keeps it', async () => {
    expect(readCredentials(file(), {})).to.equal(undefined);
    const first = ensureCredentials(file(), {});
    expect(first.origin).to.equal('generated');
    expect(first.roster).to.have.length(1);
    expect(first.roster[0]).to.include({ account: 'AUTH_main', role: 'owner' });
    expect((await stat(file())).mode & 0o777).to.equal(0o600);
    expect(await readdir(folder())).to.deep.equal(['credentials.json']);
    expect(ensureCredentials(file(), {})).to.deep.equal({ ...first, origin: 'file' });
  });

  it('generates different ones, in the form of AWS', () => {
    const [one, two] = [generateCredential(), generateCredential()];
    expect(one.accessKey)
      .to.match(/^[A-Z0-9]{20}$/)
      .and.not.equal(two.accessKey);
    expect(one.secretKey)
      .to.match(/^[\w-]{40}$/)
      .and.not.equal(two.secretKey);
  });

  it('takes the environment at the first start only, and says when it is not used', async () => {
    expect(ensureCredentials(file(), ENV)).to.deep.include({ origin: 'environment', warnings: [] });
    const text = await readFile(file(), 'utf8');
    expect(ensureCredentials(file(), ENV)).to.deep.include({ origin: 'file', warnings: [] });
    const changed = ensureCredentials(file(), { ...ENV, RINGWAY_SECRET_KEY: 'another-secret-key' });
    expect(changed.roster[0]).to.include({ secretKey: 'not-a-secret-key' });
    expect(changed.warnings.join())
      .to.match(/RINGWAY_ACCESS_KEY is not used/)
      .and.not.include('secret-key');
    expect(await readFile(file(), 'utf8')).to.equal(text);
  });

  for (const [name, env, expected] of [
    [
      'an access key alone',
      { RINGWAY_ACCESS_KEY: 'OPERATOR' },
      /^RINGWAY_SECRET_KEY: expected a value/,
    ],
    [
      'a secret alone',
      { RINGWAY_SECRET_KEY: 'hush-hush-hush' },
      /^RINGWAY_ACCESS_KEY: expected a value/,
    ],
    [
      'a short secret',
      { ...ENV, RINGWAY_SECRET_KEY: 'hush' },
      /^RINGWAY_SECRET_KEY: got 4 characters, expected a secret key: 8/,
    ],
    [
      'a slash in the access key',
      { ...ENV, RINGWAY_ACCESS_KEY: 'hush/hush' },
      /^RINGWAY_ACCESS_KEY: got 9 characters, of which number 5 is punctuation, expected an access key/,
    ],
    [
      'a line feed after the secret',
      { ...ENV, RINGWAY_SECRET_KEY: 'hush-hush\n' },
      /^RINGWAY_SECRET_KEY: got 10 characters, of which number 10 is a control character, expected/,
    ],
  ] as const) {
    it(`refuses ${name} in the environment, and writes nothing`, async () => {
      const message = problemsOf(() => ensureCredentials(file(), env));
      expect(message).to.match(expected).and.not.include('hush');
      expect(await readdir(folder())).to.deep.equal([]);
    });
  }

  it('takes empty variables for absent ones', () => {
    const env = { RINGWAY_ACCESS_KEY: '', RINGWAY_SECRET_KEY: '' };
    expect(ensureCredentials(file(), env).origin).to.equal('generated');
  });

  for (const mode of [0o604, 0o640, 0o660, 0o622]) {
    it(`refuses the mode ${mode.toString(8)}`, async () => {
      await writeFile(file(), renderCredentials([generateCredential()]));
      const { chmod } = await import('node:fs/promises');
      await chmod(file(), mode);
      expect(problemsOf(() => readCredentials(file(), {}))).to.match(
        new RegExp(`got 0${mode.toString(8)}, expected 0600.*chmod 600`),
      );
    });
  }

  it('refuses what it cannot read', async () => {
    await mkdir(file(), { mode: 0o700 });
    expect(problemsOf(() => readCredentials(file(), {}))).to.match(
      /expected a readable file \(EISDIR/,
    );
  });

  it('reads several, and writes what it reads', () => {
    const text = JSON.stringify({
      credentials: [ENTRY, { ...ENTRY, access_key: 'AK2', role: 'member', user: 'main:anna' }],
    });
    const roster = parseCredentials(text, 'c.json');
    expect(roster.map(({ accessKey, role, user }) => [accessKey, role, user])).to.deep.equal([
      ['AK1', 'owner', undefined],
      ['AK2', 'member', 'main:anna'],
    ]);
    expect(parseCredentials(renderCredentials(roster), 'c.json')).to.deep.equal(roster);
  });

  it('reports everything that is wrong at once, and no secret', () => {
    const text = JSON.stringify({
      credentials: [
        { ...ENTRY, access_key: 'hush hush', role: 'hush', user: 'hush' },
        { ...ENTRY, secret_key: 'hush', note: 'hush', 'hush+hush': 1 },
        { ...ENTRY, access_key: ['hush'], account: 'hush/hush', role: null, user: 'hush:hüsh' },
      ],
    });
    const message = problemsOf(() => parseCredentials(text, 'c.json'));
    expect(message).not.to.include('hush');
    expect(message.split('\n')).to.deep.equal([
      'c.json: credentials[0].access_key: got 9 characters, of which number 5 is white space, expected an access key: 3 to 128 letters, digits, dots, hyphens and underscores',
      'c.json: credentials[0].role: got 4 characters, expected owner or member',
      'c.json: credentials[0].user: got 4 characters, expected account:user, such as main:anna, each in up to 128 letters, digits and ._@+-',
      'c.json: credentials[1].secret_key: got 4 characters, expected a secret key: 8 to 128 printable ASCII characters without spaces',
      'c.json: credentials[1]: expected an object with access_key, secret_key, account and role, perhaps user, description, disabled and expires, and nothing else; not known: note, a key of 9 characters',
      'c.json: credentials[2].access_key: got a list, expected an access key: 3 to 128 letters, digits, dots, hyphens and underscores',
      'c.json: credentials[2].account: got 9 characters, of which number 5 is punctuation, expected an account of the store, such as AUTH_main',
      'c.json: credentials[2].role: got null, expected owner or member',
      'c.json: credentials[2].user: got 9 characters, of which number 7 is not ASCII, expected account:user, such as main:anna, each in up to 128 letters, digits and ._@+-',
    ]);
  });

  for (const [text, expected] of [
    ['{', /^c.json, line 1, column 2: expected a closing brace$/],
    ['{}', /^c.json: credentials: expected a list of credentials$/],
    ['{"credentials":[]}', /^c.json: credentials: got a list, expected at least one credential$/],
    [
      '{"credentials":["hush"]}',
      /^c.json: credentials\[0\]: got 4 characters, expected an object with/,
    ],
    [
      JSON.stringify({ credentials: [ENTRY, ENTRY] }),
      /^c.json: credentials\[1\].access_key: got the one of credentials\[0\], expected each access key once$/,
    ],
  ] as const) {
    it(`refuses ${text.slice(0, 30)}`, () => {
      const message = problemsOf(() => parseCredentials(text, 'c.json'));
      expect(message).to.match(expected).and.not.include('hush');
    });
  }

  it('leaves out what is disabled or has expired, and keeps it in the file', () => {
    const at = Date.parse('2027-01-01T00:00:00Z');
    const text = JSON.stringify({
      credentials: [
        { ...ENTRY, access_key: 'off', disabled: true },
        { ...ENTRY, access_key: 'old', expires: '2027-01-01T00:00:00Z' },
        { ...ENTRY, access_key: 'new', expires: '2027-01-01T00:00:01Z', description: 'CI' },
        { ...ENTRY, access_key: 'alien', account: 'AUTH_b' },
      ],
    });
    const roster = parseCredentials(text, file(), at);
    expect(roster.map(({ accessKey }) => accessKey)).to.deep.equal(['new', 'alien']);
    // Owners of the first owner's account operate the service, in force or not.
    expect(roster.map(({ isMain }) => isMain)).to.deep.equal([undefined, false]);
    const records = parseRecords(text, file());
    expect(nextExpiry(records, at)).to.equal(at + 1000);
    expect(nextExpiry(records, at + 1000)).to.equal(undefined);
    expect(JSON.parse(renderCredentials(records))).to.deep.equal(JSON.parse(text));
    const wrong = { ...ENTRY, expires: 'tomorrow', disabled: 'yes', description: 'a\nb' };
    const problems = problemsOf(() =>
      parseCredentials(JSON.stringify({ credentials: [wrong] }), file()),
    );
    for (const field of ['expires', 'disabled', 'description']) expect(problems).to.include(field);
  });
});
