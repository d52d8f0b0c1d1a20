import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { verifyAudit } from '../../../src/lib/audit/audit-log.js';
import { useEach } from '../../support/fixture.js';
import { codeOf, expectRefused, type ConsoleClient } from '../support/client.js';
import { startTestBed } from '../support/console.js';

const TESTER = { account: 'test', user: 'tester', key: 'testing' };

describe('console session', () => {
  const bed = useEach(startTestBed, 'close');
  let client: ConsoleClient;

  beforeEach(() => {
    client = bed().client();
  });

  it('logs in with a user of the store, and sets a cookie that no script can read', async () => {
    const answer = await client.login(TESTER);
    expect(answer.status).to.equal(200);
    expect(answer.json()).to.include({ user: 'tester', account: 'test', role: 'operator' });
    expect(client.setCookie).to.match(
      /^console_sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect((await client.get('/api/session')).status).to.equal(200);
  });

  it('takes no session of two cookies, and clears the one that stands before its own', async () => {
    await client.login(TESTER);
    const { cookie } = client;
    for (const two of [`console_sid=planted; ${cookie}`, `${cookie};console_sid=`]) {
      const refused = await client.get('/api/session', { cookie: two });
      await expectRefused(refused, 403, 'forbidden');
      const cleared = refused.headers['set-cookie'] ?? [];
      expect(cleared.every((one) => one.startsWith('console_sid=; Max-Age=0;'))).to.equal(true);
      expect(cleared.map((one) => /Path=([^;]*)/.exec(one)?.[1])).to.deep.equal([
        ...['/api', '/api/', '/api/session', '/api/session/'],
      ]);
      const again = await client.send('POST', '/api/session', {
        body: TESTER,
        headers: { cookie: two },
      });
      expect(again.status).to.equal(403);
    }
    expect((await client.get('/api/session', { cookie: `other=1; ${cookie}` })).status).to.equal(
      200,
    );
    expect((await client.get('/api/session')).status).to.equal(200);
  });

  it('logs in with an access key', async () => {
    const method = 'access_key';
    const answer = await client.send('POST', '/api/session', {
      body: { method, access_key: 'test:tester', secret_key: 'testing' },
    });
    expect(answer.json()).to.include({ user: 'tester', account: 'test' });
    const without = await bed()
      .client()
      .send('POST', '/api/session', { body: { method, access_key: 'x' } });
    await expectRefused(without, 400, 'invalid_argument');
    const { accounts } = bed().console.context;
    accounts.replace([{ account: 'test', user: 'ada', role: 'admin', access_keys: ['AKI'] }]);
    expect([accounts.nameOf('AKI'), accounts.nameOf('other')]).to.deep.equal(['test:ada', 'other']);
  });

  it('lets in once by the link of the terminal, for as long as it lasts', async () => {
    const token = 't'.repeat(43);
    const offer = { ...TESTER, token, untilMs: bed().clock.nowMs + 1000 };
    const { loginOffers } = bed().console.context;
    const follow = async (link: string) =>
      bed().client().send('POST', '/api/session', { body: { link } });
    expect((await follow(token)).status).to.equal(401);
    loginOffers.offer(offer);
    expect((await follow('u'.repeat(43))).status).to.equal(401);
    const answer = await follow(token);
    expect(answer.status).to.equal(200);
    expect(answer.json()).to.include({ user: 'tester', account: 'test' });
    expect((await follow(token)).status).to.equal(401);
    // Else too many tries from this address would be the answer.
    bed().clock.nowMs += 3_600_000;
    loginOffers.offer({ ...offer, untilMs: bed().clock.nowMs });
    await expectRefused(follow(token), 401, 'unauthenticated');
  });

  it('marks the cookie for https behind a trusted proxy only', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'console.example' };
    await client.login(TESTER, forwarded);
    expect(client.setCookie).not.to.include('Secure');
    await using behind = await startTestBed({
      trusted_proxies: ['127.0.0.1'],
      allowed_hosts: ['console.example'],
    });
    const proxied = behind.client();
    await proxied.login(TESTER, { ...forwarded, origin: 'https://console.example' });
    expect(proxied.setCookie).to.match(
      /^__Host-console_sid=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect((await proxied.get('/api/session', forwarded)).status).to.equal(200);
    // Another program on the host can set the plain name, which counts for nothing here.
    const planted = `console_sid=planted; ${proxied.cookie}`;
    const both = await proxied.get('/api/session', { ...forwarded, cookie: planted });
    expect(both.status).to.equal(200);
  });

  it('says the same to a wrong key, an unknown user, and a user not in the roster', async () => {
    await using narrow = await startTestBed({
      accounts: [{ account: 'test', user: 'tester', role: 'admin' }],
    });
    const tries = [
      { ...TESTER, key: 'wrong' },
      { ...TESTER, user: 'nobody' },
      { account: 'test', user: 'tester2', key: 'testing2' },
    ];
    const bodies = [];
    for (const one of tries) {
      const answer = await narrow.client().login(one);
      expect(answer.status).to.equal(401);
      bodies.push(answer.text.replace(/tx[\w-]+/, ''));
    }
    expect(new Set(bodies).size).to.equal(1);
  });

  it('gives a new id at each login, and ends the former session', async () => {
    await client.login(TESTER);
    const before = client.cookie;
    await client.login(TESTER);
    expect(client.cookie).not.to.equal(before);
    client.cookie = before;
    expect((await client.get('/api/session')).status).to.equal(401);
  });

  it('ends with the logout', async () => {
    await client.login(TESTER);
    expect((await client.send('DELETE', '/api/session')).status).to.equal(204);
    expect((await client.get('/api/session')).status).to.equal(401);
  });

  it('expires when its user is idle, whatever the page does by itself', async () => {
    await client.login(TESTER);
    const hour = 3_600_000;
    bed().clock.nowMs += 7 * hour;
    expect((await client.get('/api/files/containers')).status).not.to.equal(401);
    bed().clock.nowMs += 7 * hour;
    expect(
      (await client.get('/api/files/containers', { 'x-background': '1' })).status,
    ).not.to.equal(401);
    expect((await client.get('/api/session')).status).to.equal(200);
    bed().clock.nowMs += hour;
    expect((await client.get('/api/session')).status).to.equal(401);
  });

  it('asks for the token against forgery, and for its own origin', async () => {
    await client.login(TESTER);
    const code = async (headers: Record<string, string | undefined>) =>
      codeOf(await client.send('POST', '/api/files/delete', { headers, body: {} }));
    expect(await code({ 'x-csrf-token': undefined })).to.equal('csrf');
    expect(await code({ 'x-csrf-token': 'x'.repeat(43) })).to.equal('csrf');
    expect(await code({ origin: 'http://evil.example' })).to.equal('csrf');
    expect(await code({ origin: undefined })).to.equal('csrf');
    expect(await code({ 'sec-fetch-site': 'cross-site' })).to.equal('csrf');
    expect(await code({})).not.to.equal('csrf');
    expect(await code({ origin: undefined, 'sec-fetch-site': 'same-origin' })).not.to.equal('csrf');
  });

  it('refuses logins from other origins', async () => {
    const answer = await client.login(TESTER, { origin: 'http://evil.example' });
    expect(answer.status).to.equal(403);
  });

  it('answers under no other name', async () => {
    const answer = await client.get('/healthz', { host: 'evil' });
    expect(answer.status).to.equal(421);
    expect(
      (await client.get('/healthz', { host: `localhost:${bed().console.port}` })).status,
    ).to.equal(200);
  });

  it('refuses requests without a session, except to its health and its login', async () => {
    expect((await client.get('/healthz')).status).to.equal(200);
    expect((await client.get('/login.html')).status).to.equal(200);
    for (const path of [
      '/api/session',
      '/api/files/containers',
      '/audit',
      '/nothing',
      '/lab/api/node/status',
    ]) {
      expect((await client.get(path)).status, path).to.equal(401);
    }
    const page = await client.get('/', { accept: 'text/html' });
    expect(page.status).to.equal(303);
    expect(page.headers.location).to.equal('/login.html');
    const again = await client.get('/', { accept: 'text/html', cookie: 'console_sid=over' });
    expect(again.headers.location).to.equal('/login.html#ended');
    const first = await client.get('/', { accept: 'text/html', cookie: 'other=1' });
    expect(first.headers.location).to.equal('/login.html');
  });

  it('keeps roles apart', async () => {
    const reader = await bed().login('tester3', 'testing3');
    expect(codeOf(await reader.get('/api/audit'))).to.equal('forbidden');
    expect((await (await bed().login()).get('/api/audit')).status).to.equal(200);
  });

  it('refuses what is switched off', async () => {
    await client.login(TESTER);
    for (const path of ['/lab', '/lab/debt', '/lab/api/node/status'])
      expect(codeOf(await client.get(path)), path).to.equal('feature_disabled');
  });

  it('tells people in words why a page is not shown, and programs in JSON', async () => {
    await client.login(TESTER);
    const refused = await client.get('/lab/rings', { accept: 'text/html' });
    expect(refused.status).to.equal(403);
    expect(refused.headers['content-type']).to.include('text/html');
    expect(refused.text).to.include('The Lab is disabled in this console. Set lab_enabled');
    expect((await client.get('/nowhere', { accept: 'text/html' })).status).to.equal(404);
    const api = await client.get('/lab/api/rings', { accept: 'text/html' });
    expect(codeOf(api)).to.equal('feature_disabled');
  });

  it('sends its security headers with everything', async () => {
    await client.login(TESTER);
    for (const path of ['/', '/api/session', '/nothing', '/healthz']) {
      const { headers } = await client.get(path);
      expect(headers['content-security-policy'], path).to.include("default-src 'none'");
      expect(headers['content-security-policy']).not.to.include('unsafe');
      expect(headers).to.include({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
    expect((await client.get('/api/session')).headers['cache-control']).to.equal('no-store');
  });

  it('takes JSON alone', async () => {
    const headers = { 'content-type': 'text/plain' };
    const answer = await client.send('POST', '/api/session', { headers, body: '{}' });
    expect(answer.status).to.equal(415);
  });

  it('records logins in an unbroken chain, and no key', async () => {
    await client.login({ ...TESTER, key: 'a-wrong-key' });
    await client.login(TESTER);
    await client.send('DELETE', '/api/session');
    const text = await readFile(join(bed().stateDir, 'audit.jsonl'), 'utf8');
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { result: string }).result)).to.deep.equal([
      'denied',
      'ok',
      'ok',
    ]);
    expect(await verifyAudit(bed().stateDir)).to.include({ ok: true, records: 3 });
    expect(text).not.to.include('a-wrong-key');
  });
});

describe('console sessions that are idle', () => {
  it('end with their streams of events at their time, and not at the next round', async () => {
    await using bed = await startTestBed({ session_idle_hours: 1 });
    const client = await bed.login();
    const events = client.events();
    await events.next();
    bed.clock.nowMs += 3_600_001;
    // A ping comes each 15 s: the end is there before the first one.
    const seen = [];
    for await (const { event } of events) if (event !== '') seen.push(event);
    expect(seen).to.deep.equal(['session_end']);
  });
});

describe('console metrics of its own', () => {
  it('are served on an address of theirs, and on no other', async () => {
    await using bed = await startTestBed({ metrics_listen: '127.0.0.1:0' });
    const client = await bed.login();
    await bed.client().login({ ...TESTER, key: 'wrong' });
    expect((await client.get('/metrics')).status).to.equal(404);
    const port = bed.console.metricsPort ?? 0;
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await answer.text();
    expect(answer.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
    expect(text).to.include('ringway_console_logins_total{result="ok"} 1');
    expect(text).to.include('ringway_console_logins_total{result="denied"} 1');
    expect(text).to.include('ringway_console_sessions 1');
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).to.equal(404);
  });
});

describe('console login limits', () => {
  it('refuses the sixth login of a minute, and says how long to wait', async () => {
    await using bed = await startTestBed({ login_max_per_min: 5 });
    const client = bed.client();
    for (let i = 0; i < 5; i++) {
      const user = `nobody${i}`;
      expect((await client.login({ account: 'test', user, key: 'x' })).status).to.equal(401);
    }
    const refused = await client.login(TESTER);
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
    bed.clock.nowMs += 61_000;
    expect((await client.login(TESTER)).status).to.equal(200);
  });
});
