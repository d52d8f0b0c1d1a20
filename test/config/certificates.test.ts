import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readCertificates } from '../../src/config/certificates.js';
import { loadConfig } from '../../src/config/load.js';
import { ConfigError } from '../../src/config/problem.js';
import { makeCertificate } from '../support/certificate.js';
import { useOnce } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { useTempFolderOnce } from '../support/temp-folder.js';

describeWith([program('openssl')], 'config: certificates', () => {
  const folder = useTempFolderOnce('certificates');
  const good = useOnce(() => makeCertificate(folder(), 'good'));
  const other = useOnce(() => makeCertificate(folder(), 'other'));

  function read(config: Readonly<Record<string, string>>, now?: number) {
    return readCertificates(loadConfig({ flags: config, cwd: folder() }).options, now);
  }

  function problemOf(config: Readonly<Record<string, string>>): string {
    try {
      read(config);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    throw new Error('nothing is wrong');
  }

  it('are none unless they are named', () => {
    expect(read({})).to.deep.equal({ s3: undefined, admin: undefined, warnings: [] });
  });

  it('are read, with when they expire', () => {
    // Relative to the configuration file, here to the working directory.
    const { s3, admin, warnings } = read({
      tls_cert_file: 'good.pem',
      tls_key_file: 'good.key',
      admin_tls_cert_file: other().certFile,
      admin_tls_key_file: other().keyFile,
    });
    expect(warnings).to.deep.equal([]);
    const days = ((s3?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).to.be.within(29, 31);
    expect(admin?.cert.toString()).to.match(/^-----BEGIN CERTIFICATE-----/);
  });

  it('may have expired, which is said', () => {
    const config = { tls_cert_file: good().certFile, tls_key_file: good().keyFile };
    const { warnings } = read(config, Date.now() + 31 * 86_400_000);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/^tls_cert_file: expired at 20/);
  });

  it('and keys come in pairs', () => {
    expect(problemOf({ tls_cert_file: good().certFile })).to.match(
      /^tls_key_file: got "", expected a file, since tls_cert_file is given$/,
    );
    expect(problemOf({ admin_tls_key_file: good().keyFile })).to.match(
      /^admin_tls_cert_file: got "", expected a file, since admin_tls_key_file is given$/,
    );
  });

  it('that cannot be used are refused, with the reason', async () => {
    const pair = (cert: string, key: string) =>
      problemOf({ tls_cert_file: cert, tls_key_file: key });
    expect(pair('missing', good().keyFile)).to.match(/^tls_cert_file \(.*missing\): .*ENOENT/);
    expect(pair(good().certFile, 'missing')).to.match(/^tls_key_file \(.*missing\): .*ENOENT/);
    expect(pair(good().certFile, other().keyFile)).to.match(
      /tls_key_file .*expected the key of .*good/,
    );
    expect(pair(good().keyFile, good().keyFile)).to.match(/^tls_cert_file .*a certificate in PEM/);
    expect(pair(good().certFile, good().certFile)).to.match(/^tls_key_file/);
    await writeFile(join(folder(), 'empty'), '', { mode: 0o600 });
    expect(pair('empty', good().keyFile)).to.match(/^tls_cert_file .*a certificate in PEM/);
    expect(pair(good().certFile, 'empty')).to.match(/^tls_key_file .*a private key in PEM/);
  });

  it('have keys that their group may read, and others may not', async () => {
    const key = join(folder(), 'shared.key');
    await copyFile(good().keyFile, key);
    await chmod(key, 0o640);
    expect(read({ tls_cert_file: good().certFile, tls_key_file: key }).s3).not.to.equal(undefined);
    await chmod(key, 0o644);
    expect(problemOf({ tls_cert_file: good().certFile, tls_key_file: key })).to.match(
      /^tls_key_file .*expected a file that not everybody can read/,
    );
  });
});
