import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { LocalProcs } from '../../../console/nodes/local-procs.js';
import { isOver } from '../../../console/server/runs/run.js';
import { verifyJournal } from '../../../console/server/runs/run-journal.js';
import { verifyNetJournal } from '../../../console/surfaces/lab/net/net-journal.js';
import { FaultWatch } from '../../../supervisor/fault-watch.js';
import { eventually } from '../../support/eventually.js';
import { useEach } from '../../support/fixture.js';
import { removeFolder, useTempFolder } from '../../support/temp-folder.js';
import { BreakAll, makeBreakable, PAUSED, type Breakable } from './break-all.js';
import {
  holdsFault,
  kill,
  netChild,
  nodesIn,
  OBJECT_SERVER,
  openNet,
  type OpenNet,
  stopAll,
} from './net-support.js';

describe("the net below the Lab's faults, with all of them at once", function () {
  this.timeout(400_000);
  const folder = useTempFolder('net-kills');
  const nodes = useEach(() => nodesIn(folder(), [OBJECT_SERVER, PAUSED]), stopAll);
  let breakable: Breakable;
  let opened: OpenNet | undefined;

  beforeEach(async () => {
    const driver = new LocalProcs();
    for (const node of nodes()) {
      for (const name of [OBJECT_SERVER, PAUSED]) await driver.act(node, name, 'start');
    }
    breakable = await makeBreakable(folder());
    opened = undefined;
  });

  afterEach(async () => {
    await opened?.close();
    await breakable.close();
  });

  const netFolder = () => join(folder(), 'lab', 'net');
  const open = (): OpenNet => (opened = openNet(folder(), nodes()));

  it('takes back what kill -9 has left of every fault, at every state of its journals', async () => {
    let kills = 0;
    for (let at = 1; ; at++) {
      const console = netChild(folder(), at, 60, 'test.all');
      console.stdout?.resume();
      const [code, signal] = (await once(console, 'exit')) as [number | null, string | null];
      if (signal !== 'SIGKILL') {
        expect(code, `without a kill, after ${at}`).to.equal(0);
        break;
      }
      kills += 1;
      const next = open();
      next.net.register(new BreakAll(folder(), () => next.net));
      await next.runs.recover();
      const [run] = await next.runs.list();
      if (run !== undefined) {
        const { state } = await eventually(
          () => next.runs.get(run.id),
          (one) => isOver(one.state),
        );
        expect(['done', 'reverted'], `killed at ${at}`).to.include(state);
      }
      await next.net.recover();
      expect(await breakable.broken(nodes()), `killed at ${at}`).to.deep.equal([]);
      expect((await verifyJournal(folder())).ok).to.equal(true);
      const hasJournal = existsSync(join(netFolder(), 'journal.jsonl'));
      if (hasJournal) expect((await verifyNetJournal(netFolder())).ok).to.equal(true);
      await next.close();
      // The cool-down of this fault is none of the next console's.
      await removeFolder(join(folder(), 'runs'));
    }
    expect(await breakable.broken(nodes()), 'without a kill').to.deep.equal([]);
    // The intent, the plan with its folder, the journal, a note of each step, and all of that backwards.
    expect(kills).to.be.at.least(15);
  });

  it('takes back by the supervisor what neither a console nor a dead-man is left for', async () => {
    const log = { error: () => undefined, warn: () => undefined };
    const watch = new FaultWatch({ stateDir: folder(), log });
    try {
      const console = netChild(folder(), 0, 10, 'test.all');
      await holdsFault(console);
      kill(console.pid ?? 0);
      const journal = await readFile(join(folder(), 'runs', 'journal.jsonl'), 'utf8');
      const pids = [...journal.matchAll(/"dead_men":\[(\d+),(\d+)\]/g)].at(-1) ?? [];
      for (const pid of pids.slice(1)) kill(Number(pid));
      expect(await breakable.broken(nodes())).to.have.length(5);
      watch.start();
      await eventually(
        () => breakable.broken(nodes()),
        (broken) => broken.length === 0,
      );
      const next = open();
      const lines = await eventually(
        () => next.net.journal(/"id":"([0-9a-f-]{36})"/.exec(journal)?.[1] ?? ''),
        (all) => all.some(({ state }) => state === 'reverted'),
      );
      expect(lines.map(({ state, by }) => `${state} ${by}`)).to.deep.equal([
        'armed console',
        'reverting supervisor',
        'reverted supervisor',
      ]);
    } finally {
      watch.close();
    }
  });
});
