import { expect } from 'chai';
import type { RosterEntry } from '../../src/config/credentials.js';
import type { Backend } from '../../src/backend/backend.js';
import { filterCheck, HOP_RIGHTS_MISSING, SwiftUsers } from '../../src/processes/open-swift.js';

const OWNER: RosterEntry = {
  accessKey: 'AK',
  secretKey: 'secret',
  account: 'AUTH_a',
  role: 'owner',
  user: 'a:anna',
};

describe('the user that the gateway is towards Swift', () => {
  it('is the service user in every account', () => {
    const service = { user: 'gateway:gw', key: 'k' };
    const users = new SwiftUsers(service, [OWNER]);
    expect([users.of('AUTH_a'), users.of('AUTH_b')]).to.deep.equal([service, service]);
  });

  it('is the first owner of the account without one', () => {
    const member: RosterEntry = { ...OWNER, role: 'member', user: 'a:max' };
    const second: RosterEntry = { ...OWNER, user: 'a:ben' };
    const users = new SwiftUsers(undefined, [member, OWNER, second]);
    expect(users.of('AUTH_a')).to.deep.equal({ user: 'a:anna', key: 'secret' });
    expect(users.of('AUTH_b')).to.equal(undefined);
  });

  it('follows the credentials', () => {
    const { user, ...unnamed } = OWNER;
    const users = new SwiftUsers(undefined, [OWNER]);
    users.replace([{ ...unnamed, accessKey: 'b:ben', account: 'AUTH_b' }]);
    expect(users.of('AUTH_a')).to.equal(undefined);
    expect(users.of('AUTH_b'), user).to.deep.equal({ user: 'b:ben', key: 'secret' });
  });
});

describe('what readiness tells of the filter in the proxies', () => {
  const told = (capabilities: object) =>
    filterCheck({ capabilities } as Pick<Backend, 'capabilities'>, { swiftFilterSecretFile: 's' });

  it('is nothing where it has all that this release needs', () => {
    expect(told({ systemMetadata: true, hopRights: true })).to.not.have.property('detail');
  });

  it('is that one of an earlier release does not ask who may read on', () => {
    const { ok, detail } = told({ systemMetadata: true, hopRights: false });
    expect([ok, detail?.includes(HOP_RIGHTS_MISSING)]).to.deep.equal([true, true]);
  });

  it('is that there is none', () => {
    expect(told({ systemMetadata: false, hopRights: false }).detail).to.contain('501');
  });
});
