import http from 'node:http';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseConsoleConfig } from '../../../console/config/load.js';
import { startConsole, type RunningConsole } from '../../../console/server/start.js';
import { readConf } from '../../../console/surfaces/users/conf-file.js';
import { SURFACES } from '../../../console/surfaces/registry.js';
import { usersSurface } from '../../../console/surfaces/users/surface.js';
import type { AuditEvent } from '../../../src/lib/audit/audit-log.js';
import { createLoggerTo } from '../../../src/telemetry/logger.js';
import { eventually } from '../../support/eventually.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { ConsoleClient } from '../support/client.js';

export const NODES = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

export const CONF = `[pipeline:main]
pipeline = catch_errors tempauth proxy-server

# Users.
[filter:tempauth]
use = egg:swift#tempauth
user_admin_admin = the-admin-key .admin .reseller_admin
user_test_boss = the-boss-key .admin
user_test_tester = the-tester-key

[app:proxy-server]
use = egg:swift#proxy
`;

const KEYS = { admin: 'the-admin-key', boss: 'the-boss-key', tester: 'the-tester-key' };
const ACCOUNTS = [
  { account: 'admin', user: 'admin', role: 'operator' },
  { account: 'test', user: 'boss', role: 'admin' },
  { account: 'test', user: 'tester', role: 'member' },
];

/** Runs what it is given here, in the name of the host; writes down what it was given. */
const SSH = `#!/bin/sh
root=@ROOT@
while [ "$1" != -- ]; do shift; done
host=$2
printf '%s\\n' "$3" >> "$root/commands"
if [ -e "$root/$host/unreachable" ]; then exit 255; fi
PATH=$root/bin:$PATH; NODE_FOLDER=$root/$host; export PATH NODE_FOLDER
command=$(printf %s "$3" | sed "s|/@NODE@/|/$host/|g")
exec sh -c "$command"
`;

/** A proxy goes by its configuration as it was when it was reloaded. */
const SYSTEMCTL = `#!/bin/sh
case $1 in
show) echo yes;;
reload|restart)
  echo "$1" >> "$NODE_FOLDER/reloads"
  while [ -e "$NODE_FOLDER/blocked" ]; do : > "$NODE_FOLDER/waiting"; sleep 0.02; done
  if [ -e "$NODE_FOLDER/broken" ]; then exit 1; fi
  if [ ! -e "$NODE_FOLDER/deaf" ]; then cp "$NODE_FOLDER/proxy-server.conf" "$NODE_FOLDER/active"; fi;;
esac
`;

const PROXY_SERVER = `#!/bin/sh
if [ "$1" = --help ]; then echo '  --test-config'; exit 0; fi
if [ -e "$NODE_FOLDER/refuses" ]; then exit 1; fi
`;

/** Three proxies, each with its file, behind an ssh that stays here. */
export class FakeCluster {
  readonly server = http.createServer((request, response) => {
    const folder = join(this.root, request.socket.localAddress ?? '');
    if (request.url === '/healthcheck') {
      response.writeHead(existsSync(join(folder, 'unwell')) ? 503 : 200).end();
      return;
    }
    if (request.url?.startsWith('/v1/') === true) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      return;
    }
    const { users } = readConf(readFileSync(join(folder, 'active'), 'utf8'));
    const name = request.headers['x-auth-user'];
    const user = users.find((one) => `${one.account}:${one.user}` === name);
    const isRight = user !== undefined && user.key === request.headers['x-auth-key'];
    response.writeHead(isRight ? 200 : 401, {
      ...(isRight
        ? { 'x-auth-token': 'tk', 'x-storage-url': `http://x/v1/AUTH_${user.account}` }
        : {}),
    });
    response.end();
  });
  readonly logged: string[] = [];
  readonly users: ReturnType<typeof usersSurface>;
  console: RunningConsole | undefined;

  private constructor(readonly root: string) {
    this.users = usersSurface({ ssh: this.ssh, settleTimeoutMs: 1500 });
  }

  static async start(conf = CONF): Promise<FakeCluster> {
    const cluster = new FakeCluster(await makeTempFolder('users'));
    await mkdir(join(cluster.root, 'bin'));
    for (const [name, text] of Object.entries({
      'bin/systemctl': SYSTEMCTL,
      'bin/swift-proxy-server': PROXY_SERVER,
      ssh: SSH.replace('@ROOT@', cluster.root),
    })) {
      await writeFile(join(cluster.root, name), text, { mode: 0o755 });
    }
    for (const node of NODES) {
      await mkdir(join(cluster.root, node));
      await writeFile(cluster.file(node), conf, { mode: 0o640 });
      await writeFile(cluster.file(node, 'active'), conf);
    }
    cluster.server.listen(0, '0.0.0.0');
    await once(cluster.server, 'listening');
    return cluster;
  }

  file(node: string, name = 'proxy-server.conf'): string {
    return join(this.root, node, name);
  }

  read(node: string, name?: string): Promise<string> {
    return readFile(this.file(node, name), 'utf8');
  }

  /** Sets a node's state: `unreachable`, `unwell`, `deaf`, `broken`, `refuses` or `blocked`. */
  async make(node: string, what: string): Promise<void> {
    await writeFile(this.file(node, what), '');
  }

  async heal(node: string, what: string): Promise<void> {
    await rm(this.file(node, what), { force: true });
  }

  /** A change is at the reload of a node that is `blocked`. */
  async untilBlocked(node: string): Promise<void> {
    await eventually(
      () => readdir(join(this.root, node)),
      (names) => names.includes('waiting'),
    );
  }

  /** The console's audit records. */
  async audit(): Promise<AuditEvent[]> {
    const text = await readFile(join(this.root, 'state/audit.jsonl'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent);
  }

  /** The configuration of its console. */
  keys(overrides: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
    const { port } = this.server.address() as AddressInfo;
    const base = `http://127.0.0.1:${port}`;
    return {
      bind: '127.0.0.1:0',
      store_base: base,
      auth_url: `${base}/auth/v1.0`,
      accounts: ACCOUNTS,
      login_max_per_min: 1000,
      state_dir: join(this.root, 'state'),
      account_admin: true,
      node_driver: 'ssh',
      proxy_nodes: NODES,
      proxy_conf: join(this.root, '@NODE@', 'proxy-server.conf'),
      proxy_service: 'swift-proxy',
      proxy_port: port,
      ...overrides,
    };
  }

  get ssh(): string {
    return join(this.root, 'ssh');
  }

  async startConsole(overrides: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const options = parseConsoleConfig(this.keys(overrides), this.root);
    const stream = { write: (line: string) => this.logged.push(line) };
    const surfaces = SURFACES.map((one) => (one.id === this.users.id ? this.users : one));
    this.console = await startConsole(options, surfaces, {
      logger: createLoggerTo(stream, { level: 'debug', process: 'console' }),
    });
  }

  /** @param port of a console that is none of its own */
  client(port = this.console?.port ?? 0): ConsoleClient {
    const secrets = { storeOrigin: 'http://nowhere', stateDir: join(this.root, 'state') };
    return new ConsoleClient(port, secrets);
  }

  async login(
    user: keyof typeof KEYS = 'admin',
    key = KEYS[user],
    client = this.client(),
  ): Promise<ConsoleClient> {
    const account = user === 'admin' ? 'admin' : 'test';
    const answer = await client.login({ account, user, key });
    if (answer.status !== 200) throw new Error(`login: ${answer.status} ${answer.text}`);
    return client;
  }

  /** Keeps nodes and state as they are now, as a crash would leave them. */
  async snapshot(): Promise<string> {
    const copy = await makeTempFolder('users-crash');
    for (const name of [...NODES, 'state']) {
      await cp(join(this.root, name), join(copy, name), { recursive: true });
    }
    return copy;
  }

  async goBackTo(copy: string): Promise<void> {
    for (const name of [...NODES, 'state']) {
      await rm(join(this.root, name), { recursive: true });
      await cp(join(copy, name), join(this.root, name), { recursive: true });
    }
    await removeFolder(copy);
  }

  async close(): Promise<void> {
    await this.console?.close();
    this.server.closeAllConnections();
    this.server.close();
    await removeFolder(this.root);
  }
}
