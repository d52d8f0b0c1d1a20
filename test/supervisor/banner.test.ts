import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Credentials } from '../../src/config/credentials-file.js';
import { renderCredentials } from '../../src/config/credentials.js';
import { loadConfig } from '../../src/config/load.js';
import { readTempauthFile } from '../../src/config/tempauth-file.js';
import { localUrl, renderBanner } from '../../supervisor/banner.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';

const SECRET = `it's "$HOME" & more`.replaceAll(' ', '\\');

describe('supervisor: banner', () => {
  const { options } = loadConfig({ flags: { s3_listen: '[::]:8000' }, cwd: '/tmp' });
  const credentials: Credentials = {
    roster: [{ accessKey: 'AK', secretKey: SECRET, account: 'AUTH_main', role: 'owner' }],
    origin: 'generated',
    warnings: [],
  };

  /** What a shell makes of the lines to paste. */
  function pastedSecret(banner: string): string {
    const exports = banner.split('\n').filter((line) => line.startsWith('  export '));
    const script = `${exports.join('\n')}\nprintf %s "$AWS_SECRET_ACCESS_KEY"`;
    return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  }

  it('shows a generated secret, quoted for the shell', () => {
    const banner = renderBanner('1.0.0', options, credentials);
    expect(banner).to.include(`Secret key   ${SECRET}`);
    expect(pastedSecret(banner)).to.equal(SECRET);
  });

  it('shows no other secret, but how to read it from its file', async () => {
    const folder = await makeTempFolder("it's here");
    const credentialsFile = join(folder, 'credentials.json');
    await writeFile(credentialsFile, renderCredentials(credentials.roster));
    const kept: Credentials = { ...credentials, origin: 'file' };
    const banner = renderBanner('1.0.0', { ...options, credentialsFile }, kept);
    expect(banner).not.to.include(SECRET);
    expect(pastedSecret(banner)).to.equal(SECRET);
    await removeFolder(folder);
  });

  it('reads the key of a user of tempauth from its line', async () => {
    const folder = await makeTempFolder('banner');
    const tempauthConf = join(folder, 'proxy-server.conf');
    const lines = ['[filter:tempauth]', 'user_a_b = other', `user_test_tester = ${SECRET} .admin`];
    await writeFile(tempauthConf, lines.join('\n'));
    const { roster } = readTempauthFile(tempauthConf);
    const users: Credentials = { roster, origin: 'tempauth', warnings: [] };
    const banner = renderBanner('1.0.0', { ...options, tempauthConf }, users);
    expect(banner).to.include('Access key   test:tester\n').and.not.to.include(SECRET);
    expect(pastedSecret(banner)).to.equal(SECRET);
    await removeFolder(folder);
  });

  it('says whose credentials are taken where it knows none', () => {
    const none: Credentials = { roster: [], origin: 'identity', warnings: [] };
    const banner = renderBanner('1.0.0', { ...options, identityUrl: 'http://k:5000/v3' }, none);
    expect(banner).to.include('Access key   of Keystone at http://k:5000/v3');
  });

  it('names the data directory, or the proxies of the cluster', () => {
    const swiftEndpoints = ['http://10.0.0.1:8080', 'http://10.0.0.2:8080'];
    const ofCluster = { ...options, backend: 'swift' as const, swiftEndpoints };
    expect(renderBanner('1.0.0', options, credentials)).to.include('Data         /tmp/data\n');
    expect(renderBanner('1.0.0', ofCluster, credentials))
      .to.include('Swift        http://10.0.0.1:8080, http://10.0.0.2:8080\n')
      .and.not.to.include('/tmp/data\n');
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
