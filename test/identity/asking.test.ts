import { expect } from 'chai';
import type { Keystone } from '../../src/identity/keystone.js';
import { KnownUsers } from '../../src/identity/known-users.js';
import { ServiceTokens } from '../../src/identity/service-token.js';
import { SignatureService } from '../../src/identity/signature-service.js';
import type { IdentityUser } from '../../src/identity/user.js';

describe('identity: how often the service is asked', () => {
  it('lets one request ask whether an outage is over, while others go on', () => {
    let now = 0;
    const users = new KnownUsers({ cacheMs: 100, staleMs: 10_000, now: () => now });
    users.learn({ accessKey: 'anna' } as Parameters<KnownUsers['learn']>[0]);
    now = 200;
    expect(users.usable('anna')).to.equal(undefined);
    users.failed();
    expect(users.usable('anna')).to.include({ isStale: true });
    now = 2000;
    expect(users.usable('anna')).to.equal(undefined);
    expect(users.beginRetry()).to.equal(true);
    expect(users.usable('anna')).to.include({ isStale: true });
    users.answered();
    expect(users.beginRetry()).to.equal(false);
    expect(users.usable('anna')).to.equal(undefined);
  });

  it('logs in once for all requests that have no token', async () => {
    let logins = 0;
    const send = () => {
      logins += 1;
      return Promise.resolve({ status: 201, subjectToken: 'token', json: undefined });
    };
    const user = { name: 'gateway', password: 'p', project: 'service', domain: 'Default' };
    const tokens = new ServiceTokens({ send } as unknown as Keystone, user, () => 0);
    const got = await Promise.all([tokens.get(), tokens.get(), tokens.get()]);
    expect(got.map(({ value }) => value)).to.deep.equal(['token', 'token', 'token']);
    expect(logins).to.equal(1);
  });

  it('does not ask for secrets again for a minute where it may not have them', async () => {
    let [now, asked] = [0, 0];
    const ask = () => {
      asked += 1;
      return Promise.resolve({ status: 403, subjectToken: undefined, json: undefined });
    };
    const service = new SignatureService({
      keystone: {} as Keystone,
      tokens: { ask } as unknown as ServiceTokens,
      mapping: { accountPrefix: 'AUTH_', ownerRoles: [] },
      onSecretsRefused: () => undefined,
      now: () => now,
    });
    const user = { userId: 'u1', principal: { accessKey: 'a' } } as IdentityUser;
    for (now of [0, 1, 60_000]) expect(await service.secretOf(user)).to.equal(undefined);
    expect(asked).to.equal(1);
    now = 60_001;
    await service.secretOf(user);
    expect(asked).to.equal(2);
  });
});
