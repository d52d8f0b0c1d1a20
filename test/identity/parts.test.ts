import { expect } from 'chai';
import fc from 'fast-check';
import { IdentityUnavailable } from '../../src/identity/keystone.js';
import { projectAccounts } from '../../src/identity/project-accounts.js';
import { readUser } from '../../src/identity/user.js';
import { FakeKeystone } from '../support/fake-keystone.js';
import { useEach } from '../support/fixture.js';
import { identityBench } from './support.js';

describe('identity: parts', () => {
  it('reads nothing but tokens of projects', () => {
    const mapping = { accountPrefix: 'AUTH_', ownerRoles: ['admin'] };
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(readUser(json, 'a', mapping)).to.equal(undefined);
      }),
    );
    const domain = { id: 'default' };
    const party = (id: string, name: string) => ({ id, name, domain });
    const token = (user: object, project: object, roles: readonly string[]) => ({
      token: { user, project, roles: roles.map((name) => ({ name })) },
    });
    const userOf = (json: unknown) => readUser(json, 'a', mapping)?.principal;
    const anna = party('u1', 'anna');
    expect(userOf(token(anna, party('p1', 'test'), ['ADMIN']))).to.include({
      account: 'AUTH_p1',
      role: 'owner',
      user: 'test:anna',
    });
    expect(userOf(token(anna, party('p1', 'test'), ['Reader']))?.keystone).to.deep.equal({
      projectId: 'p1',
      userId: 'u1',
      roles: ['reader'],
    });
    expect(userOf(token(anna, party('p1', 'test'), []))).to.include({ role: 'member' });
    // Names that ACLs cannot have.
    expect(userOf(token(anna, party('p1', 'a b'), []))).to.include({ user: 'p1:u1' });
    expect(userOf(token(anna, party('p/1', 'test'), []))).to.equal(undefined);
    expect(userOf(token(party('', 'anna'), party('p1', 'test'), []))).to.equal(undefined);
  });
});

describe('identity: accounts of projects', () => {
  const fake = useEach(() => FakeKeystone.start(), 'close');
  const bench = useEach(() => identityBench(fake()));
  const mapping = { accountPrefix: 'AUTH_', ownerRoles: ['admin', 'member'] };

  beforeEach(() => {
    for (const [user, project, role] of [
      ['anna', 'b', 'Member'],
      ['anna', 'a', 'member'],
      ['bob', 'b', 'admin'],
      ['bob', 'c', 'reader'],
    ] as const) {
      fake().add({ access: `${user}-${project}`, secret: 's', user, project, roles: [role] });
    }
  });

  afterEach(async () => {
    await bench().keystone.close();
  });

  const accounts = () => projectAccounts(bench().tokens!, mapping);

  it('are those in which a user has an owners’ role', async () => {
    expect(await accounts()).to.deep.equal(['AUTH_id-a', 'AUTH_id-b']);
  });

  it('say who may not ask for them, and what else goes wrong', async () => {
    const failure = async (): Promise<unknown> => accounts().catch((error: unknown) => error);
    fake().givesSecrets = false;
    expect(await failure())
      .to.be.instanceOf(IdentityUnavailable)
      .with.property('message')
      .that.matches(/403.*identity_user needs the role admin/);
    fake().misbehave = (_request, response) => {
      response.end('<html>');
      return true;
    };
    expect(await failure()).to.be.instanceOf(IdentityUnavailable);
  });
});
