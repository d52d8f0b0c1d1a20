import { expect } from 'chai';
import { IdentityProbe } from '../../src/identity/health.js';
import { bodyOf } from '../support/requests.js';
import { FakeKeystone, type FakeUser } from '../support/fake-keystone.js';
import { until } from '../support/until.js';
import { s3Failure } from '../s3/auth/support.js';
import { identityBench, outcome, signedGet, signedPut, type IdentityBench } from './support.js';

const ASKED = 'POST /v3/s3tokens';
const SECRETS = 'GET /v3/users/';
const LOGINS = 'POST /v3/auth/tokens';

describe('identity: EC2 credentials', () => {
  let fake: FakeKeystone;
  let anna: FakeUser;
  const benches: IdentityBench[] = [];

  beforeEach(async () => {
    fake = await FakeKeystone.start();
    anna = fake.add({
      access: 'anna-key',
      secret: 'hush',
      user: 'anna',
      project: 'test',
      roles: ['Member'],
    });
  });

  afterEach(async () => {
    await fake.close();
    for (const { keystone } of benches.splice(0)) await keystone.close();
  });

  function open(options: Parameters<typeof identityBench>[1] = {}): IdentityBench {
    const bench = identityBench(fake, options);
    benches.push(bench);
    return bench;
  }

  it('knows account, role and user by what the service says', async () => {
    const { authenticator } = open();
    const principal = async (user: FakeUser) =>
      (await authenticator.authenticate(signedGet(user))).principal;
    expect(await principal(anna)).to.deep.equal({
      accessKey: 'anna-key',
      account: 'AUTH_id-test',
      role: 'owner',
      user: 'test:anna',
      keystone: { projectId: 'id-test', userId: 'id-anna', roles: ['member'] },
    });
    const elsewhere = { user: 'anna', project: 'test', domain: 'other', roles: ['reader'] };
    const reader = fake.add({ access: 'r', secret: 's', ...elsewhere });
    // Another domain has the same names.
    expect(await principal(reader)).to.include({ role: 'member', user: 'id-test:id-anna' });
  });

  it('asks once, and then verifies by itself until the time is over', async () => {
    const bench = open();
    for (let i = 0; i < 5; i++) {
      expect(await outcome(bench, signedGet(anna, `${i}`))).to.equal('accepted');
    }
    expect([fake.count(LOGINS), fake.count(ASKED), fake.count(SECRETS)]).to.deep.equal([1, 1, 1]);
    expect(bench.credentials.accounts).to.deep.equal(['AUTH_id-test']);
    bench.advance(60_001);
    expect(await outcome(bench, signedGet(anna))).to.equal('accepted');
    expect([fake.count(LOGINS), fake.count(ASKED), fake.count(SECRETS)]).to.deep.equal([1, 2, 2]);
  });

  it('asks once for many requests at the same time', async () => {
    const bench = open();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => outcome(bench, signedGet(anna, `${i}`))),
    );
    expect(new Set(outcomes)).to.deep.equal(new Set(['accepted']));
    expect(fake.count(ASKED)).to.equal(1);
  });

  it('refuses wrong signatures and unknown keys, as a roster does', async () => {
    const bench = open();
    const wrong = signedGet({ ...anna, secret: 'guess' });
    expect(await outcome(bench, wrong)).to.equal('SignatureDoesNotMatch');
    // The very same request is not asked about again.
    expect(await outcome(bench, wrong)).to.equal('SignatureDoesNotMatch');
    expect(fake.count(ASKED)).to.equal(1);
    const nobody = { access: 'nobody', secret: 'guess' };
    expect(await outcome(bench, signedGet(nobody))).to.equal('InvalidAccessKeyId');
    expect(await outcome(bench, signedGet({ ...nobody, access: 'a/b' }))).to.equal(
      'InvalidAccessKeyId',
    );
    // A guess does not bar whoever has the secret, also at the same time.
    const both = [signedGet({ ...anna, secret: 'guess' }, 'a'), signedGet(anna, 'b')];
    expect(await Promise.all(both.map((request) => outcome(bench, request)))).to.deep.equal([
      'SignatureDoesNotMatch',
      'accepted',
    ]);
  });

  it('bounds what guesses cost when the secret is known', async () => {
    const bench = open();
    await outcome(bench, signedGet(anna));
    bench.advance(10_000);
    for (let i = 0; i < 10; i++) {
      const guess = signedGet({ ...anna, secret: 'guess' }, `${i}`);
      expect(await outcome(bench, guess)).to.equal('SignatureDoesNotMatch');
    }
    // Once more for the first guess, and again when the token turned out not to be the reason.
    expect(fake.count(ASKED)).to.equal(3);
    expect(fake.count(LOGINS)).to.equal(2);
  });

  it('takes a secret that was changed, and lets a revoked key go', async () => {
    const bench = open();
    const old = { ...anna };
    await outcome(bench, signedGet(anna));
    anna.secret = 'changed';
    bench.advance(6_000);
    expect(await outcome(bench, signedGet(anna, 'a'))).to.equal('accepted');
    expect(await outcome(bench, signedGet(old, 'b'))).to.equal('SignatureDoesNotMatch');
    fake.users.clear();
    // From the cache, until its time is over.
    expect(await outcome(bench, signedGet(anna, 'c'))).to.equal('accepted');
    bench.advance(60_001);
    expect(await outcome(bench, signedGet(anna, 'd'))).to.equal('InvalidAccessKeyId');
  });

  it('verifies signed chunks with the secret, and answers 501 without it', async () => {
    const bench = open();
    const known = await bench.authenticator.authenticate(signedPut(anna));
    expect(known.openPayload(bodyOf([])).size).to.equal(5);
    fake.givesSecrets = false;
    const without = open();
    expect(await outcome(without, signedGet(anna))).to.equal('accepted');
    expect(without.told).to.deep.equal(['no secrets']);
    const authentication = await without.authenticator.authenticate(signedPut(anna));
    const failure = await s3Failure(() => authentication.openPayload(bodyOf([])));
    expect(failure.code).to.equal('NotImplemented');
    expect(failure.message).to.match(/Signed chunks cannot be verified/);
  });

  it('asks each time when nothing may be kept', async () => {
    const bench = open({ cacheMs: 0 });
    for (let i = 0; i < 3; i++) {
      expect(await outcome(bench, signedGet(anna, `${i}`))).to.equal('accepted');
    }
    expect([fake.count(ASKED), fake.count(SECRETS)]).to.deep.equal([3, 0]);
    const authentication = await bench.authenticator.authenticate(signedPut(anna));
    authentication.openPayload(bodyOf([]));
    expect([fake.count(ASKED), fake.count(SECRETS)]).to.deep.equal([4, 1]);
  });

  describe('when the service does not do as it should', () => {
    for (const [name, misbehave] of [
      ['500', (response) => response.writeHead(500).end('oops')],
      ['403', (response) => response.writeHead(403).end('{"error":{"code":403}}')],
      ['a redirect', (response) => response.writeHead(302, { location: '/' }).end()],
      ['404 of something else', (response) => response.writeHead(404).end('<h1>Not Found</h1>')],
      ['garbage', (response) => response.writeHead(200).end('{"token":')],
      ['a token without a project', (response) => response.writeHead(200).end('{"token":{}}')],
      ['an odd project', (response) => response.writeHead(200).end(ODD_PROJECT)],
      ['half an answer', (response) => response.writeHead(200).write('{') && response.destroy()],
      ['no answer', (response) => response.destroy()],
      ['too much', (response) => response.writeHead(200).end(Buffer.alloc(2_000_000, 'x'))],
    ] as const satisfies readonly (readonly [
      string,
      (response: Parameters<FakeKeystone['misbehave']>[1]) => unknown,
    ])[]) {
      it(`answers 503 to ${name}, and works when it is over`, async () => {
        const bench = open();
        fake.misbehave = (request, response) => {
          if (request.url !== '/v3/s3tokens') return false;
          misbehave(response);
          return true;
        };
        expect(await outcome(bench, signedGet(anna))).to.equal('ServiceUnavailable');
        fake.misbehave = () => false;
        bench.advance(1_001);
        expect(await outcome(bench, signedGet(anna))).to.equal('accepted');
        expect(bench.told).to.have.length(2);
        expect(bench.told[0]).to.be.a('string').and.not.include('hush');
        expect(bench.told[1]).to.equal(undefined);
      });
    }

    it('answers 503 when it takes too long, also byte by byte', async () => {
      const bench = open({ timeoutMs: 100 });
      const timers: NodeJS.Timeout[] = [];
      fake.misbehave = (request, response) => {
        if (request.url !== '/v3/s3tokens') return false;
        response.writeHead(200);
        timers.push(setInterval(() => response.write(' '), 20));
        return true;
      };
      expect(await outcome(bench, signedGet(anna))).to.equal('ServiceUnavailable');
      for (const timer of timers) clearInterval(timer);
    });

    it('turns requests away when too many wait', async () => {
      const bench = open({ requestsMax: 1 });
      const users = Array.from({ length: 12 }, (_, i) =>
        fake.add({ ...anna, access: `user-${i}` }),
      );
      const held: (() => void)[] = [];
      fake.misbehave = (request, response) => {
        if (request.url !== '/v3/s3tokens') return false;
        held.push(() => response.writeHead(500).end());
        return true;
      };
      const outcomes: string[] = [];
      await bench.tokens?.get();
      const asking = users.map(async (user) => {
        outcomes.push(await outcome(bench, signedGet(user)));
      });
      // One is asked about, eight wait, three are turned away.
      await until(() => outcomes.length === 3 && held.length === 1);
      fake.misbehave = () => false;
      held[0]?.();
      await Promise.all(asking);
      expect(outcomes.filter((code) => code === 'accepted')).to.have.length(8);
    });

    it('lets requests that wait for the same key fail with the first', async () => {
      const bench = open();
      let held: (() => void) | undefined;
      fake.misbehave = (request, response) => {
        if (request.url !== '/v3/s3tokens') return false;
        held = () => response.writeHead(500).end();
        return true;
      };
      const asking = Array.from({ length: 20 }, (_, i) => outcome(bench, signedGet(anna, `${i}`)));
      await until(() => held !== undefined);
      held?.();
      expect(new Set(await Promise.all(asking))).to.deep.equal(new Set(['ServiceUnavailable']));
      expect(fake.count(ASKED)).to.equal(1);
    });

    it('serves from what it knows while the service is down', async () => {
      const bench = open();
      await outcome(bench, signedGet(anna));
      await fake.close();
      expect(await outcome(bench, signedGet(anna, 'b'))).to.equal('accepted');
      expect(await outcome(bench, signedGet({ ...anna, access: 'x' }))).to.equal(
        'ServiceUnavailable',
      );
      fake = await FakeKeystone.start();
    });

    it('logs in again when its token is refused', async () => {
      const bench = open({ cacheMs: 0 });
      await outcome(bench, signedGet(anna, 'a'));
      fake.tokens.clear();
      bench.advance(2_001);
      expect(await outcome(bench, signedGet(anna, 'b'))).to.equal('accepted');
      expect(fake.count(LOGINS)).to.equal(2);
    });

    it('logs in again before its token ends', async () => {
      fake.tokenLifeMs = 100_000;
      const bench = open({ cacheMs: 0 });
      await outcome(bench, signedGet(anna, 'a'));
      bench.advance(95_000);
      expect(await outcome(bench, signedGet(anna, 'b'))).to.equal('accepted');
      expect(fake.count(LOGINS)).to.equal(2);
    });

    it('says that its own user is refused, and does not try with each request', async () => {
      const bench = open({ password: 'wrong-password' });
      for (let i = 0; i < 3; i++) {
        expect(await outcome(bench, signedGet(anna, `${i}`))).to.equal('ServiceUnavailable');
      }
      expect(fake.count(LOGINS)).to.equal(1);
      expect(bench.told.join())
        .to.match(/identity_user ringway/)
        .and.not.include('wrong-password');
    });

    it('accepts nothing from a service that wants a token it has not', async () => {
      const bench = open({ password: null });
      expect(await outcome(bench, signedGet(anna))).to.equal('SignatureDoesNotMatch');
    });
  });

  it('tells the health of the service, which fails before its first answer only', async () => {
    const { keystone, tokens } = open();
    let time = 0;
    const probe = new IdentityProbe(keystone, tokens, () => time);
    fake.misbehave = (_request, response) => {
      response.end('<html>');
      return true;
    };
    const { ok, detail } = await probe.look();
    expect(ok).to.equal(false);
    expect(detail).to.match(/no Keystone of version 3/);
    fake.misbehave = () => false;
    const well = { ok: true, answers: true, detail: 'answers' };
    expect(await probe.look()).to.deep.equal(well);
    const unknown = open({ password: null });
    const { detail: missing } = await new IdentityProbe(
      unknown.keystone,
      undefined,
      () => 0,
    ).look();
    expect(missing).to.match(/asks for a token: set identity_user/);
    await fake.close();
    // It is not asked each time.
    expect(await probe.look()).to.deep.equal(well);
    time = 60_001;
    const later = await probe.look();
    expect([later.ok, later.answers]).to.deep.equal([true, false]);
    expect(later.detail).to.match(/^no answer/);
    fake = await FakeKeystone.start();
  });
});

const PARTY = { id: 'a', name: 'a', domain: { id: 'default' } };
const ODD_PROJECT = JSON.stringify({
  token: { user: PARTY, project: { ...PARTY, id: 'a/b' }, roles: [] },
});
