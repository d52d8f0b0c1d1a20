import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { EXIT_CODES } from '../../supervisor/exit-codes.js';
import { makeCertificate } from '../support/certificate.js';
import { describeWith, program } from '../support/needs.js';
import { runProgram } from '../support/programs.js';
import { ringway } from '../support/ringway.js';
import { startService, type Service } from '../support/service.js';
import { onlyOn } from '../support/stack.js';
import { makeTempFolder, removeFolder } from '../support/temp-folder.js';

const MIB = 1024 * 1024;

describeWith([program('openssl'), program('curl')], 'TLS', () => {
  let folder: string;
  let cert: string;
  let service: Service;

  before(async function () {
    onlyOn(this, 'embedded', 'it is about the ports, whatever is stored behind them');
    folder = await makeTempFolder('tls');
    await makeCertificate(folder, 'first');
    await makeCertificate(folder, 'second');
    cert = join(folder, 'cert.pem');
    await install('first');
    const files = { cert_file: cert, key_file: join(folder, 'key.pem') };
    service = await startService({
      config: {
        tls_cert_file: files.cert_file,
        tls_key_file: files.key_file,
        admin_tls_cert_file: files.cert_file,
        admin_tls_key_file: files.key_file,
      },
    });
  });

  after(async () => {
    await service.stop();
    await removeFolder(folder);
  });

  async function install(name: string): Promise<void> {
    await copyFile(join(folder, `${name}.pem`), cert);
    await copyFile(join(folder, `${name}.key`), join(folder, 'key.pem'));
  }

  async function curl(path: string, ...args: string[]): Promise<string> {
    // Of itself, curl names no hash of the body.
    const payload = ['-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD'];
    const signed = ['--aws-sigv4', 'aws:amz:us-east-1:s3', ...payload];
    const user = ['--user', `${service.accessKey}:${service.secretKey}`];
    const url = `${service.endpoint}${path}`;
    const result = await runProgram('curl', [
      ...['-sS', '--fail-with-body', '--cacert', cert, ...signed, ...user, ...args, url],
    ]);
    expect(result.code, result.stderr + result.stdout).to.equal(0);
    return result.stdout;
  }

  async function admin(path: string): Promise<string> {
    const url = `${service.adminEndpoint}${path}`;
    const result = await runProgram('curl', ['-sS', '--cacert', cert, url]);
    expect(result.code, result.stderr).to.equal(0);
    return result.stdout;
  }

  /** The name in the certificate that a port shows. */
  async function shown(endpoint: string): Promise<string> {
    const socket = connect({
      host: '127.0.0.1',
      port: Number(new URL(endpoint).port),
      rejectUnauthorized: false,
    });
    await once(socket, 'secureConnect');
    const name = socket.getPeerCertificate().subject.CN;
    socket.destroy();
    return String(name);
  }

  it('curl stores and reads through it', async () => {
    expect(service.endpoint).to.match(/^https:/);
    await curl('/bucket', '-X', 'PUT');
    const file = join(folder, 'upload');
    const hashes: string[] = [];
    for (const size of [0, 1000, 9 * MIB]) {
      const bytes = Buffer.alloc(size, `${size} `);
      await writeFile(file, bytes);
      await curl(`/bucket/${size}`, '-T', file);
      await curl(`/bucket/${size}`, '-o', join(folder, 'download'));
      const read = await readFile(join(folder, 'download'));
      hashes.push(createHash('sha256').update(read).digest('hex'));
      expect(read.equals(bytes), String(size)).to.equal(true);
    }
    expect(new Set(hashes)).to.have.property('size', 3);
    expect(await curl('/bucket/1000', '-I')).to.match(/^content-length: 1000/im);
  });

  it('serves the admin port, too, and tells when certificates expire', async () => {
    expect(await admin('/readyz')).to.equal('ready\n');
    const metrics = await admin('/metrics');
    for (const port of ['s3', 'admin']) {
      const series = `ringway_tls_certificate_expiry_timestamp_seconds{port="${port}"} `;
      const line = metrics.split('\n').find((each) => each.startsWith(series));
      const days = (Number(line?.slice(series.length)) - Date.now() / 1000) / 86_400;
      expect(days, port).to.be.within(29, 31);
    }
  });

  it('takes another certificate by a reload', async () => {
    expect([await shown(service.endpoint), await shown(service.adminEndpoint)]).to.deep.equal([
      'first',
      'first',
    ]);
    await install('second');
    expect(await ringway(service, 'reload')).to.deep.equal({ code: 0, stderr: '' });
    expect([await shown(service.endpoint), await shown(service.adminEndpoint)]).to.deep.equal([
      'second',
      'second',
    ]);
    expect(await curl('/bucket/1000', '-I')).to.match(/^content-length: 1000/im);
    expect(await admin('/readyz')).to.equal('ready\n');
  });

  it('goes on with the one that it has when the other cannot be used', async () => {
    const before = await shown(service.endpoint);
    const key = await readFile(join(folder, 'key.pem'));
    await writeFile(join(folder, 'key.pem'), 'no key');
    const { code, stderr } = await ringway(service, 'reload');
    expect(code).to.equal(EXIT_CODES.config.code);
    expect(stderr).to.match(/tls_key_file .*expected a private key in PEM/);
    expect(await shown(service.endpoint)).to.equal(before);
    await writeFile(join(folder, 'key.pem'), key);
  });
});
