import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { ConfigError } from '../../src/config/problem.js';
import {
  deployKeys,
  loadDeployConfig,
  parseDeployConfig,
} from '../../src/deploy/service/config.js';
import { makeCertificate } from '../support/certificate.js';
import { useTempFolder } from '../support/temp-folder.js';
import { MAIN, portOf } from './processes.js';
import { callDeploy, makeFolders, PASSWORD, TestDeploy, USER } from './service-support.js';
import { exampleText } from './support.js';

const PAGE = new URL('../../../docs/deploy.md', import.meta.url);

describe('deploy: command', () => {
  const folder = useTempFolder('deploy-command');
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    await writeFile(join(folder(), 'deploy.json'), JSON.stringify(await makeFolders(folder())));
  });

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function start(...args: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [MAIN, 'deploy', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    return child;
  }

  async function failureOf(child: ChildProcess): Promise<[unknown, string]> {
    let said = '';
    child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return [code, said];
  }

  it('serves until it is told to stop, and goes on after it was killed', async () => {
    const config = join(folder(), 'deploy.json');
    const first = start('--config', config);
    const port = await portOf(first);
    const { headers } = await callDeploy(port, 'GET', '/v1/spec');
    const put = { body: exampleText(), headers: { 'if-match': String(headers.etag) } };
    const { json } = await callDeploy(port, 'PUT', '/v1/spec', put);
    const [code, said] = await failureOf(start('--config', config));
    expect([code, said]).to.deep.equal([
      75,
      `ringway: ${join(folder(), 'state')} is in use by another control service\n`,
    ]);
    first.kill('SIGKILL');
    await once(first, 'close');
    const second = start('--config', config);
    const again = await callDeploy(await portOf(second), 'GET', '/v1/spec');
    expect(again.headers.etag).to.equal(`"${json.etag}"`);
    second.kill('SIGTERM');
    expect((await once(second, 'close'))[0]).to.equal(0);
  });

  it('ends with everything that is wrong with its configuration', async () => {
    await writeFile(join(folder(), 'deploy.json'), '{"driver": "scp", "token": 1}');
    const [code, said] = await failureOf(start('--config', join(folder(), 'deploy.json')));
    expect(code).to.equal(78);
    for (const key of [
      'driver',
      'token',
      'state_dir',
      'token_file',
      'secrets_dir',
      'install_root',
    ]) {
      expect(said).to.contain(`${key}: `);
    }
    expect((await failureOf(start()))[1]).to.contain('deploy: expected --config FILE');
  });

  it('wants of each driver what it needs, and paths that files and ssh can hold', async () => {
    const config = await makeFolders(folder());
    const problems = (more: object) => {
      try {
        return parseDeployConfig({ ...config, ...more }, folder()).installRoot;
      } catch (error) {
        return (error as ConfigError).problems.map(({ key }) => key).join();
      }
    };
    expect(problems({ install_root: '' })).to.equal('install_root');
    expect(problems({ files_for: 'folder', install_root: 'no des' })).to.equal('install_root');
    expect(problems({ install_root: 'no des' })).to.equal(join(folder(), 'no des'));
    const ssh = { driver: 'ssh', install_root: '' };
    expect(problems(ssh)).to.equal('ssh_key_file,ssh_known_hosts_file');
    const files = { ssh_key_file: 'key', ssh_known_hosts_file: 'known' };
    expect(problems({ ...ssh, ...files })).to.equal('/');
    expect(problems({ ...ssh, ...files, install_root: 'nodes' })).to.equal('install_root');
    expect(problems({ ...ssh, ...files, ssh_key_file: '%d/key' })).to.equal('ssh_key_file');
  });

  it('wants a password that others cannot read, and TLS where others listen', async () => {
    const config = await makeFolders(folder());
    expect(() => parseDeployConfig({ ...config, listen: '0.0.0.0:9700' }, folder())).to.throw(
      ConfigError,
      'tls_cert_file: expected a path, since others than this machine reach `listen`',
    );
    await writeFile(join(folder(), 'open'), 'secret');
    expect(() => parseDeployConfig({ ...config, token_file: 'open' }, folder())).to.throw(
      ConfigError,
      'mode 0600',
    );
    const { certFile, keyFile } = await makeCertificate(folder(), 'deploy');
    const tls = { ...config, tls_cert_file: certFile, tls_key_file: keyFile };
    expect(parseDeployConfig(tls, folder()).tlsKeyFile).to.equal(keyFile);
    await chmod(keyFile, 0o644);
    expect(() => parseDeployConfig(tls, folder())).to.throw(ConfigError, 'not everybody can read');
    const { stateDir } = loadDeployConfig('deploy.json', folder());
    expect(stateDir).to.equal(join(folder(), 'state'));
  });

  it('speaks TLS, and nothing else, where it has a certificate', async () => {
    const { certFile, keyFile } = await makeCertificate(folder(), 'deploy');
    const tls = { tls_cert_file: certFile, tls_key_file: keyFile };
    const deploy = await TestDeploy.start(folder(), {}, tls);
    try {
      const options = { ca: await readFile(certFile), auth: `${USER}:${PASSWORD}` };
      const asked = https.get(`https://127.0.0.1:${deploy.port}/v1/spec`, options);
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      expect([answer.statusCode, await text(answer)]).to.deep.equal([200, 'null']);
      const plain = http.get(`http://127.0.0.1:${deploy.port}/v1/spec`);
      const [failure] = (await once(plain, 'error')) as [NodeJS.ErrnoException];
      expect(failure.code).to.equal('ECONNRESET');
      const old = https.get(`https://127.0.0.1:${deploy.port}/`, {
        ...options,
        maxVersion: 'TLSv1.1',
      });
      expect((await once(old, 'error'))[0]).to.have.property('code');
    } finally {
      await deploy.close();
    }
  });

  it('has every key in its documentation', async () => {
    const page = await readFile(PAGE, 'utf8');
    for (const { key } of deployKeys()) expect(page).to.match(new RegExp(`^\\| .*\`${key}\``, 'm'));
  });
});
