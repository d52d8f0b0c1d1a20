import { expect } from 'chai';
import type { UserChange } from '../../../console/surfaces/users/user-change.js';
import { CONF, FakeCluster, NODES } from './support.js';

const ACTOR = { account: 'test', user: 'tester', role: 'operator' } as const;
const BY = { actor: 'test:tester', role: 'operator', ip: '', request_id: '' };

describe('a change of users that is stuck', () => {
  it('keeps its way back, whatever is asked for beside it', async () => {
    const cluster = await FakeCluster.start();
    try {
      await cluster.startConsole();
      const admin = cluster.console?.service(cluster.users) ?? expect.fail();
      const runs = cluster.console!.context.runs;
      const files = await admin.read();
      const base = Object.fromEntries(files.map(({ node, sha256 }) => [node, sha256]));
      const add = (user: string) => {
        const change: UserChange = { action: 'add', account: 'new', user, groups: ['.admin'] };
        return admin.apply(change, base, ACTOR, BY, () => undefined);
      };
      const refused = (): Promise<unknown> => add('b').catch((error: unknown) => error);
      await cluster.make(NODES[1]!, 'blocked');
      // Both read the nodes before either of them has the lock.
      const both = await Promise.allSettled([add('a'), add('b')]);
      const id = both.find((one) => one.status === 'fulfilled')?.value.id ?? expect.fail();
      expect(both.find((one) => one.status === 'rejected')).to.have.nested.include({
        'reason.code': 'locked',
      });
      await cluster.untilBlocked(NODES[1]!);
      expect(await refused()).to.include({ code: 'locked' });
      await cluster.make(NODES[0]!, 'unreachable');
      await cluster.make(NODES[1]!, 'unwell');
      await cluster.heal(NODES[1]!, 'blocked');
      const { params, state } = await runs.ended(id);
      expect(state).to.equal('stuck');
      expect(await refused()).to.deep.include({ code: 'conflict', details: { nodes: [NODES[0]] } });
      expect(await runs.view(id)).to.deep.include({ params, state: 'stuck' });
      await cluster.heal(NODES[1]!, 'unwell');
      await cluster.heal(NODES[0]!, 'unreachable');
      await runs.cancel(id);
      expect((await runs.ended(id)).state).to.equal('reverted');
      for (const node of NODES) expect(await cluster.read(node)).to.equal(CONF);
    } finally {
      await cluster.close();
    }
  });
});
