import { expect } from 'chai';
import { FakeKeystone, type FakeUser } from '../support/fake-keystone.js';
import { until } from '../support/until.js';
import { identityBench, outcome, signedGet, type IdentityBench } from './support.js';

const ASKED = 'POST /v3/s3tokens';

describe('identity: while the service does not answer', () => {
  let fake: FakeKeystone;
  let anna: FakeUser;
  const benches: IdentityBench[] = [];

  beforeEach(async () => {
    fake = await FakeKeystone.start();
    const whose = { user: 'anna', project: 'test', roles: ['Member'] };
    anna = fake.add({ access: 'anna-key', secret: 'hush', ...whose });
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

  it('goes by what it knew for a while longer, and then refuses', async () => {
    const bench = open({ cacheMs: 60_000, staleMs: 3_600_000 });
    await outcome(bench, signedGet(anna));
    fake.misbehave = (_request, response) => {
      response.writeHead(500).end();
      return true;
    };
    bench.advance(60_001);
    // The first one finds out, those behind it are not asked about for a second.
    for (const key of ['a', 'b', 'c']) {
      expect(await outcome(bench, signedGet(anna, key))).to.equal('accepted');
    }
    expect(fake.count(ASKED)).to.equal(2);
    expect(bench.found).to.deep.equal(['service', 'stale', 'stale', 'stale']);
    expect(bench.credentials.stale).to.deep.equal({ count: 1, leftMs: 3_599_999 });
    const guess = signedGet({ ...anna, secret: 'guess' });
    expect(await outcome(bench, guess)).to.equal('ServiceUnavailable');
    expect(await outcome(bench, signedGet({ ...anna, access: 'x' }))).to.equal(
      'ServiceUnavailable',
    );
    bench.advance(3_600_000);
    expect(await outcome(bench, signedGet(anna, 'd'))).to.equal('ServiceUnavailable');
    expect(bench.found.at(-1)).to.equal('none');
    expect(bench.credentials.stale.count).to.equal(0);
    fake.misbehave = () => false;
    bench.advance(1_001);
    expect(await outcome(bench, signedGet(anna, 'e'))).to.equal('accepted');
  });

  it('does not let known users wait for a service that hangs', async () => {
    const bench = open();
    await outcome(bench, signedGet(anna));
    const held: (() => void)[] = [];
    fake.misbehave = (_request, response) => {
      held.push(() => response.writeHead(500).end());
      return true;
    };
    bench.advance(60_001);
    const first = outcome(bench, signedGet(anna, 'a'));
    await until(() => held.length === 1);
    held[0]?.();
    expect(await first).to.equal('accepted');
    bench.advance(1_001);
    // One asks again meanwhile, and none waits for its answer.
    for (const key of ['b', 'c']) {
      expect(await outcome(bench, signedGet(anna, key))).to.equal('accepted');
    }
    await until(() => held.length === 2);
    bench.advance(60_000);
    expect(await outcome(bench, signedGet(anna, 'd'))).to.equal('accepted');
    expect(held).to.have.length(2);
    held[1]?.();
  });

  it('lets a key go that was revoked while the service was away', async () => {
    const bench = open();
    await outcome(bench, signedGet(anna));
    fake.misbehave = (_request, response) => {
      response.destroy();
      return true;
    };
    bench.advance(60_001);
    expect(await outcome(bench, signedGet(anna, 'a'))).to.equal('accepted');
    fake.users.clear();
    fake.misbehave = () => false;
    bench.advance(1_001);
    // This one finds out for those behind it.
    expect(await outcome(bench, signedGet(anna, 'b'))).to.equal('accepted');
    await until(() => bench.credentials.size === 0);
    expect(await outcome(bench, signedGet(anna, 'c'))).to.equal('InvalidAccessKeyId');
    expect(bench.told.at(-1)).to.equal(undefined);
  });

  it('does not accept again whom the service has refused before it went away', async () => {
    const bench = open();
    await outcome(bench, signedGet(anna));
    // As of a user who is disabled: the key is there, and its signatures are refused.
    const old = { ...anna };
    anna.secret = 'changed';
    bench.advance(60_001);
    expect(await outcome(bench, signedGet(old, 'a'))).to.equal('SignatureDoesNotMatch');
    fake.misbehave = (_request, response) => {
      response.destroy();
      return true;
    };
    bench.advance(10_000);
    for (const key of ['b', 'c']) {
      expect(await outcome(bench, signedGet(old, key))).to.equal('ServiceUnavailable');
    }
    expect(bench.credentials.stale.count).to.equal(0);
  });

  it('keeps nothing longer where that is not wanted', async () => {
    const bench = open({ staleMs: 0 });
    await outcome(bench, signedGet(anna));
    await fake.close();
    bench.advance(60_001);
    expect(await outcome(bench, signedGet(anna, 'a'))).to.equal('ServiceUnavailable');
    fake = await FakeKeystone.start();
  });
});
