import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { JobControl } from '../../../console/server/jobs.js';
import type { UserChange } from '../../../console/surfaces/users/user-change.js';
import { CONF, FakeCluster, NODES } from './support.js';

const ACTOR = { account: 'test', user: 'tester', role: 'operator' } as const;
const CONTROL: JobControl = { signal: new AbortController().signal, progress: () => undefined };

describe('a change of users that is stuck', () => {
  it('keeps its way back, whatever was prepared beside it', async () => {
    const cluster = await FakeCluster.start();
    try {
      await cluster.startConsole();
      const admin = cluster.console?.service(cluster.users) ?? expect.fail();
      const files = await admin.read();
      const base = Object.fromEntries(files.map(({ node, sha256 }) => [node, sha256]));
      const add = (user: string): UserChange => ({ action: 'add', account: 'new', user, groups: ['.admin'] }); // prettier-ignore
      const [first, second] = [
        await admin.prepare(ACTOR, add('a'), base),
        await admin.prepare(ACTOR, add('b'), base),
      ];
      const ended = () => Promise.resolve();
      await cluster.make(NODES[1]!, 'blocked');
      const running = first.run(CONTROL, ended);
      await cluster.untilBlocked(NODES[1]!);
      await cluster.make(NODES[0]!, 'unreachable');
      await cluster.make(NODES[1]!, 'unwell');
      await cluster.heal(NODES[1]!, 'blocked');
      expect((await running).map(({ state }) => state)).to.include('stuck');
      const journal = () => readFile(join(cluster.root, 'state', 'users-change.json'), 'utf8');
      const before = await journal();
      const refused: unknown = await second.run(CONTROL, ended).catch((error: unknown) => error);
      expect(refused).to.deep.include({ code: 'conflict', details: { nodes: [NODES[0]] } });
      expect(await journal()).to.equal(before);
      await cluster.heal(NODES[1]!, 'unwell');
      await cluster.heal(NODES[0]!, 'unreachable');
      await admin.recover();
      for (const node of NODES) expect(await cluster.read(node)).to.equal(CONF);
    } finally {
      await cluster.close();
    }
  });
});
