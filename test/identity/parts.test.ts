import { expect } from 'chai';
import fc from 'fast-check';
import { readUser } from '../../src/identity/user.js';

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
