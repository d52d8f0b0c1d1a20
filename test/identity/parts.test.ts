import { expect } from 'chai';
import fc from 'fast-check';
import { ExpiringMap } from '../../src/identity/expiring-map.js';
import { Gate } from '../../src/identity/gate.js';
import { readUser } from '../../src/identity/user.js';

describe('identity: parts', () => {
  it('keeps what was put last, until its time is over', () => {
    let time = 0;
    const map = new ExpiringMap<number>(2, 100, () => time);
    map.set('a', 1);
    map.set('b', 2);
    time = 50;
    map.set('a', 3);
    map.set('c', 4);
    // The oldest one had to go.
    expect([map.get('a'), map.get('b'), map.get('c')]).to.deep.equal([3, undefined, 4]);
    map.replace('a', 5);
    map.replace('b', 6);
    expect([map.get('a'), map.get('b')]).to.deep.equal([5, undefined]);
    time = 149;
    expect(map.get('a')).to.equal(5);
    time = 150;
    expect([map.get('a'), map.get('c')]).to.deep.equal([undefined, undefined]);
  });

  it('keeps nothing for no time', () => {
    const map = new ExpiringMap<number>(2, 0, () => 0);
    map.set('a', 1);
    expect(map.get('a')).to.equal(undefined);
  });

  it('lets no more in than it may, and serves all in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.boolean(), { maxLength: 20 }),
        async (active, fails) => {
          const gate = new Gate({ active, waiting: 100, waitMs: 60_000 });
          let inside = 0;
          const begun: number[] = [];
          const results = await Promise.allSettled(
            fails.map((fail, i) =>
              gate.run(async () => {
                begun.push(i);
                inside += 1;
                expect(inside).to.be.at.most(active);
                await Promise.resolve();
                inside -= 1;
                if (fail) throw new Error('failed');
              }),
            ),
          );
          expect(begun).to.deep.equal([...fails.keys()]);
          expect(results.map(({ status }) => status === 'rejected')).to.deep.equal(fails);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('turns away whoever waits too long, and nobody else', async () => {
    const gate = new Gate({ active: 1, waiting: 2, waitMs: 5 });
    let leave: () => void = () => undefined;
    const first = gate.run(() => new Promise<void>((resolve) => (leave = resolve)));
    const late = await gate.run(() => Promise.resolve()).catch((error: unknown) => error);
    expect(String(late)).to.match(/no answer to earlier requests in 5 ms/);
    leave();
    await first;
    expect(await gate.run(() => Promise.resolve('in'))).to.equal('in');
  });

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
