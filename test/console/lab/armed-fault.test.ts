import { join } from 'node:path';
import { expect } from 'chai';
import { allProcesses } from '../../../console/nodes/processes.js';
import type { RunControl, RunFacts } from '../../../console/server/runs/run.js';
import { ArmedFault } from '../../../console/surfaces/lab/net/armed-fault.js';
import { netOf } from '../../../console/surfaces/lab/net/fault-net.js';
import { Plans, type PlanTools } from '../../../console/surfaces/lab/net/plans.js';
import { eventually } from '../../support/eventually.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { kill } from './net-support.js';

const ID = '5f2f6a3e-0000-4000-8000-000000000002';

describe('a fault that is armed', () => {
  it('keeps its phase when a dead-man is replaced while the phase is written down', async () => {
    const folder = await makeTempFolder('armed');
    const notes: RunFacts[] = [];
    const gate = { wait: Promise.resolve(), open: () => undefined as unknown };
    const control = {
      ...{ id: ID, params: {}, evidence: null, isResumed: false },
      signal: new AbortController().signal,
      async note(facts: RunFacts) {
        notes.push(facts);
        await gate.wait;
      },
    } as unknown as RunControl;
    const plans = new Plans(join(folder, 'net'));
    const tools = {
      nodeDriver: 'local-procs' as const,
      clusterNodes: [],
      nodeRoot: '',
    } satisfies PlanTools;
    const about = { kind: 'test', target: 'node1', actor: 'test:tester', ttlS: 600 };
    const deadMen = { systemdFolder: join(folder, 'none') };
    const fault = new ArmedFault({ control, plans, tools, deadMen, now: Date.now, ...about });
    const pids = async (): Promise<number[]> => {
      const all = await allProcesses();
      return all.filter(({ argv }) => argv.includes(plans.fileOf(ID))).map(({ pid }) => pid);
    };
    try {
      await fault.arm([]);
      await fault.act('break', () => Promise.resolve());
      const former = await pids();
      expect(former).to.have.length(2);
      gate.wait = new Promise((resolve) => (gate.open = () => { resolve(); })); // prettier-ignore
      const holding = fault.held();
      kill(former[0] ?? 0);
      const isReplaced = (now: number[]) => now.length === 2 && now.some((pid) => !former.includes(pid)); // prettier-ignore
      const later = await eventually(pids, isReplaced);
      gate.open();
      await holding;
      const net = await eventually(
        () => Promise.resolve(netOf(fault.evidence)),
        (now) => later.every((pid) => now?.dead_men.includes(pid)),
      );
      expect(net?.phase).to.equal('held');
      expect(netOf(notes.at(-1) ?? null)?.phase).to.equal('held');
    } finally {
      fault.close();
      await plans.remove(ID);
      await removeFolder(folder);
    }
  });
});
