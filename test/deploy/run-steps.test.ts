import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Run, Step } from '../../src/deploy/service/run-record.js';
import { takeSteps } from '../../src/deploy/service/run-steps.js';

const step = (node: string, action: Step['action']): Step => ({
  ...{ node, action, state: 'pending', message: '', commands: [] },
  ...{ started_unix_s: null, ended_unix_s: null },
});

/** Takes the steps of nodes such as `1a`: the first letter is the zone. */
async function taken(nodes: readonly string[], fails: string) {
  const steps = nodes.flatMap((node) => [step(node, 'install'), step(node, 'reload')]);
  const begun: string[] = [];
  const under = new Set<string>();
  let most = 0;
  const act = async (what: string, node: string): Promise<void> => {
    begun.push(`${what} ${node}`);
    under.add(node);
    most = Math.max(most, under.size);
    expect(new Set([...under].map(([zone]) => zone)).size, 'zones at a time').to.equal(1);
    // Others begin meanwhile, if they may.
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    under.delete(node);
    if (`${what} ${node}` === fails) throw new Error('not well');
  };
  const saved: string[] = [];
  await takeSteps({
    run: { id: 'run-1', steps } as unknown as Run,
    installer: {
      install: async (_run, node) => act('install', node).then(() => 1),
      reload: async (node) => act('reload', node).then(() => true),
    },
    parallel: 2,
    zoneOf: ([zone = '']) => zone,
    isCancelled: () => false,
    nowS: () => 1,
    onStep: (number) => {
      const { node, action, state } = steps[number]!;
      saved.push(`${node} ${action} ${state}`);
      return Promise.resolve();
    },
  });
  return { begun, most, saved, states: steps.map(({ state }) => state) };
}

describe('deploy: steps of a run', () => {
  const NODES = ['1a', '1b', '1c', '2a', '2b'];

  it('are of so many nodes at a time, of one zone after the other, each in its order', async () => {
    const { begun, most, saved } = await taken(NODES, '');
    expect(most).to.equal(2);
    expect(begun.findIndex((each) => each.endsWith('2a'))).to.equal(6);
    for (const node of NODES) {
      expect(saved.filter((each) => each.startsWith(node))).to.deep.equal([
        ...[`${node} install running`, `${node} install succeeded`],
        ...[`${node} reload running`, `${node} reload succeeded`],
      ]);
    }
  });

  it('stop at the first node that is not well: what is under way ends, and nothing else begins', async () => {
    const { begun, states } = await taken(NODES, 'reload 1a');
    expect(begun).to.deep.equal(['install 1a', 'install 1b', 'reload 1a', 'reload 1b']);
    expect(states).to.deep.equal([
      ...['succeeded', 'failed', 'succeeded', 'succeeded'],
      ...Array<Step['state']>(6).fill('pending'),
    ]);
  });
});
