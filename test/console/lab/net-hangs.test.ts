import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { LocalProcs } from '../../../console/nodes/local-procs.js';
import { Plans } from '../../../console/surfaces/lab/net/plans.js';
import { isOver } from '../../../console/server/runs/run.js';
import { eventually } from '../../support/eventually.js';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { holdsFault, netChild, nodesIn, OBJECT_SERVER, openNet, stateOf, stopAll } from './net-support.js'; // prettier-ignore

const LOCK_HOLDER = fileURLToPath(new URL('lock-holder.js', import.meta.url));

describe("the lock of the Lab's plans", function () {
  this.timeout(120_000);
  const folder = useTempFolder('net-hangs');
  const nodes = useEach(() => nodesIn(folder(), [OBJECT_SERVER]), stopAll);

  beforeEach(async () => {
    for (const node of nodes()) await new LocalProcs().act(node, OBJECT_SERVER, 'start');
  });

  it('is taken from a console that hangs in the midst of a step, which ends; the step is taken back', async () => {
    const console = netChild(folder(), 0, 1, 'test.stop', 'hangs');
    await holdsFault(console);
    const [, signal] = (await once(console, 'exit')) as [number | null, string | null];
    expect(signal).to.equal('SIGKILL');
    await eventually(
      () => stateOf(nodes()),
      (state) => state === 'active',
    );
    const next = openNet(folder(), nodes());
    try {
      await next.runs.recover();
      const [run] = await eventually(
        () => next.runs.list(),
        ([one]) => one !== undefined && isOver(one.state),
      );
      const lines = await next.net.journal(run?.id ?? '');
      expect(lines.map(({ state, by }) => `${state} ${by}`)).to.deep.equal([
        'armed console',
        'reverting dead_man',
        'reverted dead_man',
      ]);
      expect(lines.at(-1)?.outcomes.map(({ text }) => text)).to.deep.equal([
        `Released the lock of process ${console.pid}, which hung or was killed.`,
        'object-server on node1 was started',
      ]);
    } finally {
      await next.close();
    }
  });

  it('is left to a process that works with it for long', async () => {
    const netFolder = join(folder(), 'lab', 'net');
    // Longer than a process may hang.
    const worker = spawn(process.execPath, [LOCK_HOLDER, netFolder, '6000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(worker, 'exit');
    await holdsFault(worker);
    const lostBy = await new Plans(netFolder).locked((pid) => Promise.resolve(pid));
    expect(lostBy).to.equal(undefined);
    expect(await exit).to.deep.equal([0, null]);
  });
});
