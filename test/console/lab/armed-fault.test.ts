import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { allProcesses } from '../../../console/nodes/processes.js';
import type { RunControl, RunFacts } from '../../../console/server/runs/run.js';
import { ArmedFault } from '../../../console/surfaces/lab/net/armed-fault.js';
import { netOf } from '../../../console/surfaces/lab/net/fault-net.js';
import { appendToJournal, journalOf } from '../../../console/surfaces/lab/net/net-journal.js';
import { Plans, type PlanTools } from '../../../console/surfaces/lab/net/plans.js';
import { FaultWatch } from '../../../supervisor/fault-watch.js';
import { eventually } from '../../support/eventually.js';
import { makeTempFolder, removeFolder, useTempFolder } from '../../support/temp-folder.js';
import { kill, openNet } from './net-support.js';

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
    const told = { reports: new Map<string, never>(), onUnwritten: () => undefined };
    const deadMen = { systemdFolder: join(folder, 'none') };
    const fault = new ArmedFault({
      control,
      plans,
      tools,
      deadMen,
      now: Date.now,
      ...told,
      ...about,
    });
    const pids = async (): Promise<number[]> => {
      const all = await allProcesses();
      return all.filter(({ argv }) => argv.includes(plans.fileOf(ID))).map(({ pid }) => pid);
    };
    try {
      await fault.arm([]);
      await fault.act('break', () => Promise.resolve());
      // A dead-man that forks is two of the name for a moment.
      const former = await eventually(pids, ({ length }) => length === 2);
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

describe('plans of faults that nobody has taken back', function () {
  this.timeout(120_000);
  const folder = useTempFolder('plans');
  let plans: Plans;

  beforeEach(async () => {
    plans = new Plans(join(folder(), 'lab', 'net'));
    await mkdir(plans.folder, { recursive: true });
  });

  const idOf = (digit: number) => `${digit}f2f6a3e-0000-4000-8000-000000000002`;
  const write = (digit: number, deadlineS: number, kinds: readonly string[] = []) =>
    plans.write({
      ...{ v: 1, id: idOf(digit), kind: 'test', target: 'node1', actor: 'test:tester' },
      deadline_unix_s: Math.floor(deadlineS),
      reverts: kinds.map((kind) => ({ kind, params: {} })),
      tools: { nodeDriver: 'local-procs', clusterNodes: [], nodeRoot: '' },
    });
  const untilGone = (digit: number) =>
    eventually(
      () => plans.ids(),
      (ids) => !ids.includes(idOf(digit)),
    );
  const quiet = { error: () => undefined, warn: () => undefined };

  it('are left alone by the supervisor before their deadline, also when the clock is set', async () => {
    let nowMs = Date.now();
    let looks = 0;
    const now = (): number => {
      looks += 1;
      return nowMs;
    };
    const watch = new FaultWatch({ stateDir: folder(), log: quiet, now });
    try {
      await write(1, nowMs / 1000 + 600);
      watch.start();
      await eventually(
        () => Promise.resolve(looks),
        (count) => count > 0,
      );
      nowMs += 3_600_000;
      // Two more, one after the other, so that the first had its turn in any order.
      for (const digit of [2, 3]) {
        await write(digit, nowMs / 1000 - 60);
        await untilGone(digit);
      }
      expect(await plans.ids()).to.deep.equal([idOf(1)]);
    } finally {
      watch.close();
    }
  });

  it('keep no other one waiting, where they cannot be read or taken back', async () => {
    const watch = new FaultWatch({ stateDir: folder(), log: quiet });
    try {
      await writeFile(plans.fileOf(idOf(1)), '{');
      await write(2, 1, ['unknown']);
      await write(3, 1);
      watch.start();
      await untilGone(3);
    } finally {
      watch.close();
    }
    await write(4, 1);
    const next = openNet(folder(), []);
    try {
      await next.net.recover();
    } finally {
      await next.close();
    }
    expect((await plans.ids()).toSorted()).to.deep.equal([idOf(1), idOf(2)]);
  });

  it('have a journal that can be read while another process writes a line of it', async () => {
    const armed = { id: ID, kind: 'test', target: 'node1', state: 'armed', by: 'console' } as const;
    expect(await journalOf(join(folder(), 'none'), ID)).to.deep.equal([]);
    await appendToJournal(plans.folder, { ...armed, outcomes: [] });
    const file = join(plans.folder, 'journal.jsonl');
    await appendFile(file, '{"v":1,');
    const before = await readFile(file, 'utf8');
    expect((await journalOf(plans.folder, ID)).map(({ state }) => state)).to.deep.equal(['armed']);
    expect(await readFile(file, 'utf8')).to.equal(before);
  });
});
