import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { freePort } from './free-port.js';
import { program, type Need } from './needs.js';
import { findProgram, mustRun } from './programs.js';
import { makeTempFolder, removeFolder } from './temp-folder.js';

/** Debian's package is python3-keystone. */
export const KEYSTONE: readonly Need[] = [
  program('keystone-manage'),
  program('keystone-wsgi-public'),
];

/** The time to start it on a machine that also compiles: a guard, no expectation. */
export const KEYSTONE_LIMIT_MS = 5 * 60_000;

/**
 * The work of `keystone-manage db_sync` and `bootstrap` in one process, since each takes two
 * seconds to load. Arguments: database, configuration, password, URL. Keystone writes while another
 * of its connections reads: with SQLite's default journal it hangs then.
 */
const PREPARE = `
import sqlite3, sys
from keystone.cmd import cli
database, conf, password, url = sys.argv[1:]
sqlite3.connect(database).execute("pragma journal_mode=wal")
for command in (
    ["db_sync"],
    ["bootstrap", "--bootstrap-password", password, "--bootstrap-public-url", url],
):
    cli.CONF.clear()
    cli.main(argv=["keystone-manage", "--config-file", conf, *command])
`;

const POLL_MS = 100;
const ADMIN_PASSWORD = 'admin-password';

export interface Ec2Credential {
  readonly access: string;
  readonly secret: string;
}

/**
 * A real Keystone of its own: SQLite, keys and log in a folder that is gone afterwards. It serves
 * one request at a time, which is enough for tests.
 */
export class TestKeystone {
  #token = '';

  private constructor(
    /** `http://127.0.0.1:PORT/v3` */
    readonly url: string,
    private readonly folder: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(): Promise<TestKeystone> {
    const folder = await makeTempFolder('keystone');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/v3`;
    const conf = await configure(folder);
    const database = join(folder, 'keystone.db');
    await mustRun('python3', ['-c', PREPARE, database, conf, ADMIN_PASSWORD, url]);
    const log = openSync(join(folder, 'log'), 'a');
    const args = ['--host', '127.0.0.1', '--port', String(port)];
    const child = spawn(findProgram('keystone-wsgi-public') ?? '', args, {
      env: { ...process.env, OS_KEYSTONE_CONFIG_FILES: conf },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    process.once('exit', () => child.kill('SIGKILL'));
    const keystone = new TestKeystone(url, folder, child);
    try {
      await keystone.#ready();
    } catch (error) {
      const text = await readFile(join(folder, 'log'), 'utf8');
      await keystone.stop();
      throw new Error(`Keystone does not answer:\n${text.slice(-4000)}`, { cause: error });
    }
    return keystone;
  }

  /** @returns its id */
  async createProject(name: string): Promise<string> {
    const project = { name, domain_id: 'default' };
    return idOf(await this.#call('POST', '/projects', { project }), 'project');
  }

  /** @returns its id */
  async createUser(name: string, password: string): Promise<string> {
    const user = { name, password, domain_id: 'default' };
    return idOf(await this.#call('POST', '/users', { user }), 'user');
  }

  async grant(user: string, project: string, role: string): Promise<void> {
    await this.#call('PUT', await this.#assignment(user, project, role));
  }

  async withdraw(user: string, project: string, role: string): Promise<void> {
    await this.#call('DELETE', await this.#assignment(user, project, role));
  }

  async createEc2(user: string, project: string): Promise<Ec2Credential> {
    const path = `/users/${user}/credentials/OS-EC2`;
    const answer = await this.#call('POST', path, { tenant_id: project });
    return (answer as { credential: Ec2Credential }).credential;
  }

  async deleteEc2(user: string, { access }: Ec2Credential): Promise<void> {
    await this.#call('DELETE', `/users/${user}/credentials/OS-EC2/${access}`);
  }

  /** Made by the user, who alone may do that. @returns its id */
  async createApplicationCredential(
    user: string,
    project: string,
    { password, secret }: { readonly password: string; readonly secret: string },
  ): Promise<string> {
    const identity = { methods: ['password'], password: { user: { id: user, password } } };
    const scope = { project: { id: project } };
    const token = await this.#tokenFor({ identity, scope });
    const path = `/users/${user}/application_credentials`;
    const body = { application_credential: { name: 'test', secret } };
    return idOf(await this.#call('POST', path, body, token), 'application_credential');
  }

  /** It accepts connections, and answers nothing. */
  pause(): void {
    this.process.kill('SIGSTOP');
  }

  resume(): void {
    this.process.kill('SIGCONT');
  }

  /** Harmless when it has ended. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once('close', resolve));
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGKILL');
      await ended;
    }
    await removeFolder(this.folder);
  }

  async #ready(): Promise<void> {
    const giveUpAt = Date.now() + KEYSTONE_LIMIT_MS / 2;
    for (;;) {
      if (this.process.exitCode !== null) throw new Error('it has ended');
      const answer = await request(this.url).catch(() => undefined);
      await answer?.body.dump();
      if (answer?.statusCode === 200) break;
      if (Date.now() > giveUpAt) throw new Error('it does not answer');
      // It needs the processor itself.
      await setTimeout(POLL_MS);
    }
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const user = { name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD };
    const identity = { methods: ['password'], password: { user } };
    this.#token = await this.#tokenFor({ identity, scope });
  }

  async #tokenFor(auth: object): Promise<string> {
    const { headers, body } = await request(`${this.url}/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth }),
    });
    await body.dump();
    return String(headers['x-subject-token']);
  }

  async #assignment(user: string, project: string, role: string): Promise<string> {
    const answer = await this.#call('GET', `/roles?name=${role}`);
    const known = (answer as { roles: readonly { readonly id: string }[] }).roles[0];
    const made = known ?? {
      id: idOf(await this.#call('POST', '/roles', { role: { name: role } }), 'role'),
    };
    return `/projects/${project}/users/${user}/roles/${made.id}`;
  }

  async #call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
    token = this.#token,
  ) {
    const answer = await request(`${this.url}${path}`, {
      method,
      headers: { 'x-auth-token': token, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300)
      throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  }
}

function idOf(answer: unknown, kind: string): string {
  return (answer as Record<string, { readonly id: string }>)[kind]?.id ?? '';
}

/** Everything that it would look for in /etc/keystone is in the folder. */
async function configure(folder: string): Promise<string> {
  for (const keys of ['fernet', 'credential']) {
    await mkdir(join(folder, keys), { mode: 0o700 });
    for (const index of ['0', '1']) {
      const key = randomBytes(32).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
      await writeFile(join(folder, keys, index), key, { mode: 0o600 });
    }
  }
  const conf = join(folder, 'keystone.conf');
  const sections = {
    DEFAULT: { use_stderr: 'true' },
    database: { connection: `sqlite:///${folder}/keystone.db` },
    fernet_tokens: { key_repository: `${folder}/fernet` },
    fernet_receipts: { key_repository: `${folder}/fernet` },
    credential: { key_repository: `${folder}/credential` },
    // Its own, which it empties when something changes: without it, a request takes 0.4 s of CPU.
    cache: { enabled: 'true', backend: 'dogpile.cache.memory_pickle' },
    // The least that it takes: passwords of tests need no protection.
    identity: { password_hash_rounds: '4' },
  };
  const text = Object.entries(sections).flatMap(([section, options]) => [
    `[${section}]`,
    ...Object.entries(options).map(([name, value]) => `${name} = ${value}`),
  ]);
  await writeFile(conf, `${text.join('\n')}\n`);
  return conf;
}
