import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RosterEntry } from '../../../console/config/keys.js';
import { parseConsoleConfig } from '../../../console/config/load.js';
import { codeOf, ConsoleClient } from '../support/client.js';
import { startConsole, type RunningConsole } from '../../../console/server/start.js';
import { Sessions } from '../../../console/server/sessions.js';
import { SURFACES } from '../../../console/surfaces/registry.js';
import type { SwiftAccount } from '../../../console/swift/account.js';
import { createLoggerTo } from '../../../src/telemetry/logger.js';
import { eventually } from '../../support/eventually.js';
import { useTempFolder } from '../../support/temp-folder.js';

const KEY = 'a-key-that-nobody-else-has';

/** A store that forgets tokens, and keys, when it is told to. */
class ForgetfulStore {
  keyIsGood = true;
  tokens = 0;
  /** The token that is good now. */
  good = '';
  status = 200;
  location: string | undefined;
  readonly requests: string[] = [];
  readonly server = http.createServer((request, response) => {
    this.requests.push(`${request.method} ${request.url}`);
    if (request.url === '/auth/v1.0') {
      const isGood = this.keyIsGood && request.headers['x-auth-key'] === KEY;
      this.good = `token-${++this.tokens}`;
      const host = 'http://evil.example/v1/AUTH_test';
      response.writeHead(isGood ? 200 : 401, {
        ...(isGood ? { 'x-auth-token': this.good, 'x-storage-url': host } : {}),
      });
      response.end();
    } else if (request.headers['x-auth-token'] === this.good) {
      const headers = this.location === undefined ? {} : { location: this.location };
      response.writeHead(this.status, { 'content-type': 'application/json', ...headers });
      response.end('[]');
    } else {
      response.writeHead(401).end();
    }
  });
}

describe('console session rules', () => {
  let store: ForgetfulStore;
  const folder = useTempFolder('session');
  let running: RunningConsole;
  let client: ConsoleClient;
  let nowMs: number;
  const logged: string[] = [];

  const start = async (overrides: Readonly<Record<string, unknown>> = {}) => {
    const { port } = store.server.address() as AddressInfo;
    const base = `http://127.0.0.1:${port}`;
    const options = parseConsoleConfig(
      {
        bind: '127.0.0.1:0',
        store_base: base,
        auth_url: `${base}/auth/v1.0`,
        accounts: [{ account: 'test', user: 'tester', role: 'operator' }],
        state_dir: folder(),
        ...overrides,
      },
      folder(),
    );
    const logger = createLoggerTo(
      { write: (line: string) => logged.push(line) },
      { level: 'debug', process: 'console' },
    );
    running = await startConsole(options, SURFACES, { now: () => nowMs, logger });
    client = new ConsoleClient(running.port, { storeOrigin: base, stateDir: folder() });
  };

  beforeEach(async () => {
    nowMs = Date.now();
    store = new ForgetfulStore();
    store.server.listen(0, '127.0.0.1');
    await once(store.server, 'listening');
  });

  afterEach(async () => {
    await running.close();
    store.server.closeAllConnections();
    store.server.close();
  });

  const login = () => client.login({ account: 'test', user: 'tester', key: KEY });
  const containers = () => client.get('/api/files/containers');

  it('logs in again once when the store forgets its token, and ends when the key is refused', async () => {
    await start();
    await login();
    store.good = '';
    expect((await containers()).status).to.equal(200);
    expect(store.tokens).to.equal(2);
    store.good = '';
    store.keyIsGood = false;
    expect((await containers()).status).to.equal(401);
    store.keyIsGood = true;
    expect((await client.get('/api/session')).status).to.equal(401);
  });

  it('ends when it is a job that finds the key refused', async () => {
    await start();
    await login();
    store.good = '';
    store.keyIsGood = false;
    const body = { container: 'c', names: ['a'], mode: 'trash' };
    expect((await client.post('/api/files/delete', body)).status).to.equal(202);
    await eventually(
      async () => (await client.get('/api/session')).status,
      (status) => status === 401,
    );
  });

  it('leaves the token of the store valid when a user logs out', async () => {
    await start();
    await login();
    const before = store.requests.length;
    await client.send('DELETE', '/api/session');
    expect(store.requests.slice(before)).to.deep.equal([]);
  });

  it('begins with what its user may do when its record is written, and not before', async () => {
    await start();
    const { audit, accounts, sessions } = running.context;
    const write = audit.write.bind(audit);
    /** While the record waits, the roster changes. */
    const becomes = (role: RosterEntry['role'] | undefined) => {
      audit.write = async (event) => {
        audit.write = write;
        accounts.replace(role === undefined ? [] : [{ account: 'test', user: 'tester', role }]);
        const roleOf = (user: RosterEntry) => accounts.find(`${user.account}:${user.user}`)?.role;
        sessions.revokeWhere(({ user }) => roleOf(user) !== user.role);
        await write(event);
      };
    };
    becomes('reader');
    expect((await login()).json()).to.include({ role: 'reader' });
    becomes(undefined);
    expect((await login()).status).to.equal(401);
    expect(sessions.count).to.equal(0);
  });

  it('lasts as many hours as it is told', async () => {
    await start({ session_idle_hours: 0.5 });
    const answer = (await login()).json() as { idle_expires_unix_s: number };
    expect(answer.idle_expires_unix_s).to.equal(Math.floor(nowMs / 1000) + 1800);
    nowMs += 30 * 60_000 - 1;
    expect((await containers()).status).to.equal(200);
    nowMs += 30 * 60_000;
    expect((await containers()).status).to.equal(401);
  });

  it('stays with its own store, follows no redirect, and passes on nothing of it', async () => {
    await start();
    await login();
    store.status = 302;
    store.location = 'http://evil.example/';
    const answer = await containers();
    expect(answer.status).to.equal(502);
    expect(answer.headers.location).to.equal(undefined);
    expect(answer.text).not.to.include('evil.example');
  });

  it('tells the features that there are, and no secret', async () => {
    await start();
    const answer = await login();
    expect(answer.json()).to.have.nested.property('features.files', true);
    for (const secret of [KEY, 'token-', 'AUTH_']) expect(answer.text).not.to.include(secret);
  });

  it('writes neither keys nor tokens anywhere', async () => {
    logged.length = 0;
    await start();
    await login();
    await client.login({ account: 'test', user: 'tester', key: `${KEY}-mistyped` });
    store.status = 500;
    await containers();
    store.server.closeAllConnections();
    store.server.close();
    await containers();
    const audit = await readFile(join(folder(), 'audit.jsonl'), 'utf8');
    expect(logged).not.to.deep.equal([]);
    for (const secret of [KEY, 'token-']) {
      expect(logged.join('\n')).not.to.include(secret);
      expect(audit).not.to.include(secret);
    }
  });

  it('takes its limits on headers and bodies', async () => {
    await start();
    await login();
    const long = await client.get('/api/session', { 'x-long': 'x'.repeat(20_000) });
    expect(long.status).to.equal(431);
    const body = { name: 'x'.repeat(5 * 1024 * 1024) };
    const large = await client.send('PUT', '/api/files/container', { body });
    expect(large.status).to.equal(413);
  });

  it('takes no form, and nothing without a type', async () => {
    await start();
    await login();
    const types = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'a/b'];
    for (const type of types) {
      const answer = await client.send('POST', '/api/files/delete', {
        headers: { 'content-type': type },
        body: 'a=b',
      });
      expect(answer.status, type).to.equal(415);
    }
  });

  it('serves pages from its table alone', async () => {
    await start();
    await login();
    for (const path of [
      '/../package.json',
      '/%2e%2e/package.json',
      '/assets/x/ui/..%2f..%2fserver/app.ts',
      '/assets/x/ui/%2e%2e%5cindex.html',
    ]) {
      expect((await client.get(path)).status, path).to.be.oneOf([400, 404]);
    }
  });

  it('counts tries by the socket, and by X-Forwarded-For from proxies that are trusted alone', async () => {
    const tries = async () => {
      const statuses = [];
      for (let i = 0; i < 3; i++) {
        const headers = { 'x-forwarded-for': `198.51.100.${i}` };
        const body = { account: 'test', user: `u${i}`, key: 'x' };
        statuses.push((await client.login(body, headers)).status);
      }
      return statuses;
    };
    await start({ login_max_per_min: 2 });
    expect(await tries()).to.deep.equal([401, 401, 429]);
    await running.close();
    await start({ login_max_per_min: 2, trusted_proxies: ['127.0.0.1'] });
    expect(await tries()).to.deep.equal([401, 401, 401]);
  });

  it('records the first of many logins that are refused for being many', async () => {
    await start({ login_max_per_min: 1 });
    for (let i = 0; i < 6; i++) await client.login({ account: 'test', user: 'u', key: 'x' });
    const audit = await readFile(join(folder(), 'audit.jsonl'), 'utf8');
    expect(audit.trimEnd().split('\n')).to.have.length(2);
    expect(codeOf(await login())).to.equal('rate_limited');
  });
});

describe('sessions of the console', () => {
  it('end what is under way in them: jobs, streams of events, uploads', () => {
    let nowMs = 0;
    const sessions = new Sessions({ idleMs: 1000, now: () => nowMs });
    const start = () => sessions.start({} as RosterEntry, {} as unknown as SwiftAccount);
    const [ended, expired, stays] = [start(), start(), start()];
    sessions.end(ended.session);
    expect(ended.session.ended.signal.aborted).to.equal(true);
    nowMs = 900;
    sessions.touch(stays.session);
    nowMs = 1000;
    expect(sessions.find(expired.sid)).to.equal(undefined);
    expect(expired.session.ended.signal.aborted).to.equal(true);
    expect(sessions.find(stays.sid)).to.equal(stays.session);
    expect(stays.session.ended.signal.aborted).to.equal(false);
    sessions.endAll();
    expect(stays.session.ended.signal.aborted).to.equal(true);
  });
});
