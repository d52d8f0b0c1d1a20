import { expect } from 'chai';
import { codeOf, failureOf } from '../../support/failure.js';
import { answer, FakeSwift } from './support/fake-swift.js';
import { CONTEXT, useFakes } from './support/open-fake.js';
import { cancelledBy } from '../../../src/lib/cancellation.js';

async function* chunks(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

describe('Swift transport: tokens', () => {
  const open = useFakes();

  it('logs in once, however many wait for it', async () => {
    const fixture = await open(1);
    await Promise.all(Array.from({ length: 20 }, () => fixture.get()));
    expect(fixture.fake.logins).to.equal(1);
    expect(fixture.fake.seen).to.have.length(20);
  });

  it('logs in again when the token is not known any more, unseen by its users', async () => {
    const fixture = await open(1);
    (await fixture.get()).cancel();
    for (let i = 1; i <= 3; i++) {
      fixture.fake.forgetTokens();
      const statuses = await Promise.all(
        Array.from({ length: 10 }, async () => (await fixture.get()).status),
      );
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      expect(fixture.fake.logins).to.equal(1 + i);
    }
  });

  it('needs none where the signature suffices, until a proxy asks for one', async () => {
    const fixture = await open(1, { filterSecret: 'a secret of the proxies' });
    const { fake, transport } = fixture;
    fake.steps = [
      answer(200, JSON.stringify({ swift: {}, ringway: { version: 1, signature_suffices: true } })),
    ];
    fake.checksTokens = false;
    await transport.info();
    expect((await fixture.get()).status).to.equal(200);
    expect(fake.logins).to.equal(0);
    expect(fake.seen.at(-1)!.headers).to.not.have.property('x-auth-token');
    fake.checksTokens = true;
    expect((await fixture.get()).status).to.equal(200);
    expect(fake.logins).to.equal(1);
    expect(fake.seen.at(-1)!.headers).to.have.property('x-auth-token', fake.token);
  });

  it('sends a body again after 401, also of what is not repeatable', async () => {
    const fixture = await open(1);
    (await fixture.get()).cancel();
    fixture.fake.forgetTokens();
    const body = Buffer.from('abc');
    const response = await fixture.get({ method: 'PUT', container: 'c', body, repeatable: false });
    expect(response.status).to.equal(200);
    expect(fixture.fake.seen.at(-1)!.headers['content-length']).to.equal('3');
  });

  it('hands on a 401 that comes when the body has begun, and sends no half of it again', async () => {
    const fixture = await open(1);
    (await fixture.get()).cancel();
    const refuse = answer(401);
    fixture.fake.steps = [
      async (request) => {
        await request.body();
        await refuse(request);
      },
      answer(200),
    ];
    const before = fixture.fake.seen.length;
    const body = { source: chunks('abc'), size: 3 };
    const response = await fixture.get({ method: 'PUT', container: 'c', body });
    expect(response.status).to.equal(401);
    expect(fixture.fake.seen.length - before).to.equal(1);
    expect(fixture.retries).to.deep.equal([]);
  });

  it('gives a new token some time to be known everywhere', async () => {
    const fixture = await open(1);
    (await fixture.get()).cancel();
    fixture.fake.forgetTokens();
    fixture.fake.steps = [answer(401), answer(401), answer(200)];
    expect((await fixture.get()).status).to.equal(200);
    expect(fixture.fake.logins).to.equal(2);
    expect(fixture.retries).to.deep.equal(['token', 'token', 'token']);
  });

  it('hands on a 401 that no token mends, without asking for one again and again', async () => {
    const fixture = await open(1);
    fixture.fake.steps = [answer(401)];
    for (let i = 0; i < 3; i++) expect((await fixture.get()).status).to.equal(401);
    expect(fixture.fake.logins).to.be.at.most(4);
  });

  it('does not hammer a login that is refused', async () => {
    const fixture = await open(1, { credentialFor: () => ({ user: 'test:tester', key: 'wrong' }) });
    for (let i = 0; i < 10; i++) {
      const error = await failureOf(fixture.get());
      expect(error).to.have.property('code', 'Unavailable');
      expect(error).to.have.property('message').that.contains('test:tester');
      expect(error).to.have.property('message').that.does.not.contain('wrong');
    }
    expect(fixture.fake.logins).to.equal(1);
    expect(fixture.fake.seen).to.deep.equal([]);
  });

  it('tries a login again that the proxy cannot serve now', async () => {
    const fixture = await open(1);
    const { login } = fixture.fake;
    let failures = 2;
    fixture.fake.login = (request) => (failures-- > 0 ? answer(503)(request) : login(request));
    expect((await fixture.get()).status).to.equal(200);
    expect(fixture.fake.logins).to.equal(3);
  });

  it('logs in as the user that acts for the account', async () => {
    const users: unknown[] = [];
    const fixture = await open(1, {
      credentialFor: (account) =>
        account === 'AUTH_none' ? undefined : { user: `${account}:owner`, key: 'testing' },
    });
    const { login } = fixture.fake;
    fixture.fake.login = (request) => {
      users.push(request.headers['x-auth-user']);
      return login(request);
    };
    for (const account of ['AUTH_a', 'AUTH_b', 'AUTH_a']) await fixture.get({ account });
    expect(users).to.deep.equal(['AUTH_a:owner', 'AUTH_b:owner']);
    expect(await codeOf(fixture.get({ account: 'AUTH_none' }))).to.equal('Unavailable');
  });

  it('gives up waiting for a login only when its own caller does', async () => {
    const fixture = await open(1);
    const { login } = fixture.fake;
    let proceed!: () => void;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    fixture.fake.login = async (request) => {
      await gate;
      await login(request);
    };
    const controller = new AbortController();
    const gone = failureOf(
      fixture.get({ context: { ...CONTEXT, cancellation: cancelledBy(controller.signal) } }),
    );
    const stays = fixture.get();
    const reason = new Error('the client went away');
    controller.abort(reason);
    expect(await gone).to.equal(reason);
    proceed();
    expect((await stays).status).to.equal(200);
  });

  it('gets its tokens from Keystone', async () => {
    const keystone = await FakeSwift.start();
    keystone.checksTokens = false;
    const asked: unknown[] = [];
    keystone.steps = [
      async (request) => {
        asked.push(request.url, JSON.parse((await request.body()).toString()));
        const expires = new Date(Date.now() + 3_600_000).toISOString();
        const body = JSON.stringify({ token: { expires_at: expires } });
        request.response.writeHead(201, { 'X-Subject-Token': 'token-0' }).end(body);
      },
    ];
    const fixture = await open(1, {
      authUrl: `${keystone.url}/identity/v3`,
      project: 'service',
      credentialFor: () => ({ user: 'ringway', key: 'pässword' }),
    });
    await Promise.all(Array.from({ length: 5 }, () => fixture.get()));
    expect(asked).to.deep.equal([
      '/identity/v3/auth/tokens',
      {
        auth: {
          identity: {
            methods: ['password'],
            password: {
              user: { name: 'ringway', domain: { name: 'Default' }, password: 'pässword' },
            },
          },
          scope: { project: { name: 'service', domain: { name: 'Default' } } },
        },
      },
    ]);
    expect(fixture.fake.logins).to.equal(0);
    await keystone.stop();
  });
});
