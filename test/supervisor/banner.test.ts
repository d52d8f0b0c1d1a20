import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Credentials } from '../../src/config/roster-source.js';
import { renderCredentials } from '../../src/config/credentials.js';
import { loadConfig } from '../../src/config/load.js';
import { readTempauthFile } from '../../src/config/tempauth.js';
import { localUrl } from '../../src/config/options.js';
import type { ConsoleState } from '../../supervisor/banner-console.js';
import { forJournal, isJournal } from '../../supervisor/banner-credential.js';
import { renderBanner, renderShortBanner } from '../../supervisor/banner.js';
import { useTempFolder } from '../support/temp-folder.js';

const SECRET = `it's "$HOME" & more`.replaceAll(' ', '\\');

const CONSOLE: ConsoleState = {
  consoleConfig: undefined,
  consoleAbsent: undefined,
  consoleProblem: undefined,
};

describe('supervisor: banner', () => {
  const folder = useTempFolder('banner');
  const { options } = loadConfig({ flags: { s3_listen: '[::]:8000' }, cwd: '/tmp' });
  const credentials: Credentials = {
    roster: [{ accessKey: 'AKI', secretKey: SECRET, account: 'AUTH_main', role: 'owner' }],
    origin: 'generated',
    warnings: [],
  };

  /** The secret that a shell gets from the lines to paste. */
  function pastedSecret(banner: string): string {
    const exports = banner.split('\n').filter((line) => line.startsWith('  export '));
    const script = `${exports.join('\n')}\nprintf %s "$AWS_SECRET_ACCESS_KEY"`;
    return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  }

  it('shows a generated secret, quoted for the shell', () => {
    const banner = renderBanner('1.0.0', options, credentials, CONSOLE);
    expect(banner).to.include(`Secret key   ${SECRET}`);
    expect(pastedSecret(banner)).to.equal(SECRET);
  });

  it('shows none to a journal, which is told by the socket that systemd names', () => {
    const banner = renderBanner('1.0.0', options, forJournal(credentials), CONSOLE);
    expect(banner).to.include('Secret key   kept in').and.not.to.include(SECRET);
    expect(isJournal('9:77', { dev: 9, ino: 77 })).to.be.true;
    for (const other of ['9:7', '9:770', undefined]) {
      expect(isJournal(other, { dev: 9, ino: 77 })).to.be.false;
    }
  });

  it('shows no other secret, but how to read it from its file', async () => {
    const credentialsFile = join(folder(), "it's here.json");
    await writeFile(credentialsFile, renderCredentials(credentials.roster));
    const kept: Credentials = { ...credentials, origin: 'file' };
    const banner = renderBanner('1.0.0', { ...options, credentialsFile }, kept, CONSOLE);
    expect(banner).not.to.include(SECRET);
    expect(pastedSecret(banner)).to.equal(SECRET);
  });

  it('reads the key of a user of tempauth from its line', async () => {
    const tempauthConf = join(folder(), 'proxy-server.conf');
    const lines = ['[filter:tempauth]', 'user_a_b = other', `user_test_tester = ${SECRET} .admin`];
    await writeFile(tempauthConf, lines.join('\n'));
    const { roster } = readTempauthFile(tempauthConf);
    const users: Credentials = { roster, origin: 'tempauth', warnings: [] };
    const banner = renderBanner('1.0.0', { ...options, tempauthConf }, users, CONSOLE);
    expect(banner).to.include('Access key   test:tester\n').and.not.to.include(SECRET);
    expect(pastedSecret(banner)).to.equal(SECRET);
  });

  it('says whose credentials are taken where it knows none', () => {
    const none: Credentials = { roster: [], origin: 'identity', warnings: [] };
    const ofKeystone = { ...options, identityUrl: 'http://k:5000/v3' };
    const banner = renderBanner('1.0.0', ofKeystone, none, CONSOLE);
    expect(banner).to.include('Access key   of Keystone at http://k:5000/v3');
  });

  it('names the data directory, or the proxies of the cluster', () => {
    const swiftEndpoints = ['http://10.0.0.1:8080', 'http://10.0.0.2:8080'];
    const ofCluster = { ...options, backend: 'swift' as const, swiftEndpoints };
    expect(renderBanner('1.0.0', options, credentials, CONSOLE)).to.include(
      'Data         /tmp/data\n',
    );
    expect(renderBanner('1.0.0', ofCluster, credentials, CONSOLE))
      .to.include('Swift        http://10.0.0.1:8080, http://10.0.0.2:8080\n')
      .and.not.to.include('/tmp/data\n');
  });

  it('says where the console is, and as whom to log in', () => {
    const banner = renderBanner('1.0.0', options, credentials, CONSOLE);
    expect(banner)
      .to.include('  Console      http://127.0.0.1:9000\n')
      .and.include('  Log in       with the access key and the secret key\n');
    const link = renderShortBanner('1.0.0', options, credentials, { ...CONSOLE, loginToken: 'T' });
    expect(link).to.include(
      'http://127.0.0.1:9000/login.html#T  (logs in once, within ten minutes)',
    );
    const own = { ...CONSOLE, consoleConfig: { accounts: [] } };
    expect(renderBanner('1.0.0', options, credentials, own)).to.include(
      "a user of the console's accounts",
    );
  });

  it('has eight lines for a terminal', () => {
    const lines = renderShortBanner('1.0.0', options, credentials, CONSOLE).trim().split('\n');
    expect(lines).to.have.length(8);
    expect(lines.join('\n'))
      .to.include('S3 endpoint  http://[::1]:8000, region us-east-1')
      .and.include('Console      http://127.0.0.1:9000')
      .and.include(`Secret key   ${SECRET}`);
  });

  it('says why there is no console, or why it cannot be reached', () => {
    const absent = { ...CONSOLE, consoleAbsent: 'no users' };
    expect(renderBanner('1.0.0', options, credentials, absent))
      .to.include('  Console      none: no users\n')
      .and.not.to.include('Log in');
    const late = { ...CONSOLE, consoleProblem: 'in use' };
    expect(renderBanner('1.0.0', options, credentials, late)).to.include(
      '  Console      not yet, and tried again: in use\n',
    );
    const unwanted = { ...options, consoleListen: '' as const };
    expect(renderBanner('1.0.0', unwanted, credentials, CONSOLE)).not.to.include('Console');
  });

  for (const [host, url] of [
    ['0.0.0.0', 'http://127.0.0.1:80'],
    ['::', 'http://[::1]:80'],
    ['10.0.0.1', 'http://10.0.0.1:80'],
    ['gateway', 'http://gateway:80'],
  ] as const) {
    it(`names ${url} for ${host}`, () => {
      expect(localUrl({ host, port: 80 })).to.equal(url);
    });
  }
});
