import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Credentials } from '../../src/config/credentials-file.js';
import { renderCredentials } from '../../src/config/credentials.js';
import { loadConfig } from '../../src/config/load.js';
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
