import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import type { TestKeystone } from './keystone.js';
import { findProgram } from './programs.js';
import type { SwiftLab } from './swift-lab.js';
import { makeTempFolder, removeFolder } from './temp-folder.js';

const LAUNCH = join(process.cwd(), 'ops/swift-lab/python/launch.py');
const FILTER = join(process.cwd(), 'ops/swift');

/** A user of Keystone with the role `admin` in the project `service`. */
export interface ProxyUser {
  readonly name: string;
  readonly password: string;
}

/**
 * One more proxy of a lab, with Ringway's filters, Swift's s3api, and Keystone in the place of
 * tempauth. It is no service of the lab: it ends with `close`, or with the tests.
 */
export class KeystoneProxy {
  private constructor(
    readonly url: string,
    private readonly folder: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(
    lab: SwiftLab,
    keystone: TestKeystone,
    user: ProxyUser,
  ): Promise<KeystoneProxy> {
    const folder = await makeTempFolder('keystone-proxy');
    const port = await freePort();
    const confFolder = join(lab.state.dir, 'conf');
    const plain = await readFile(join(confFolder, 'proxy-1.conf'), 'utf8');
    const conf = join(folder, 'proxy.conf');
    await writeFile(conf, withKeystone(plain, port, keystone.url, user), { mode: 0o600 });
    const log = openSync(join(folder, 'log'), 'a');
    const program = findProgram('swift-proxy-server') ?? '';
    const child = spawn('/usr/bin/python3', [LAUNCH, confFolder, program, conf, '-v'], {
      env: { ...process.env, PYTHONPATH: FILTER },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    process.once('exit', () => child.kill('SIGKILL'));
    const proxy = new KeystoneProxy(`http://127.0.0.1:${port}`, folder, child);
    try {
      await eventually(
        () => proxy.#isUp(),
        (isUp) => isUp,
      );
    } catch (error) {
      const text = await readFile(join(folder, 'log'), 'utf8');
      await proxy.close();
      throw new Error(`the proxy does not answer:\n${text.slice(-4000)}`, { cause: error });
    }
    return proxy;
  }

  async close(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const ended = new Promise((resolve) => this.process.once('close', resolve));
      this.process.kill('SIGKILL');
      await ended;
    }
    await removeFolder(this.folder);
  }

  async #isUp(): Promise<boolean> {
    const { exitCode } = this.process;
    if (exitCode !== null) throw new Error(`it has ended with ${exitCode}`);
    const answer = await request(`${this.url}/healthcheck`).catch(() => undefined);
    await answer?.body.dump();
    return answer?.statusCode === 200;
  }
}

/** @param plain of a proxy with tempauth */
function withKeystone(plain: string, port: number, url: string, user: ProxyUser): string {
  const service = [
    `auth_url = ${url}`,
    'auth_type = password',
    'project_domain_id = default',
    'user_domain_id = default',
    'project_name = service',
    `username = ${user.name}`,
    `password = ${user.password}`,
    'delay_auth_decision = true',
  ];
  const text = plain
    .replace(/^bind_port = .*$/m, `bind_port = ${port}`)
    .replace(/^(pipeline = .*) tempauth /m, '$1 authtoken s3api s3token keystoneauth ');
  return [
    text,
    '[filter:authtoken]',
    'paste.filter_factory = keystonemiddleware.auth_token:filter_factory',
    `www_authenticate_uri = ${url}`,
    // The only one that TestKeystone has.
    'interface = public',
    'cache = swift.cache',
    ...service,
    '[filter:keystoneauth]',
    'use = egg:swift#keystoneauth',
    'operator_roles = admin, member',
    'reseller_admin_role = ResellerAdmin',
    '[filter:s3api]',
    'use = egg:swift#s3api',
    '[filter:s3token]',
    'use = egg:swift#s3token',
    `auth_uri = ${url}`,
    ...service,
    '',
  ].join('\n');
}
