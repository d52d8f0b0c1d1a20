import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { LocalProcs } from '../../../console/nodes/local-procs.js';
import { isOver } from '../../../console/server/runs/run.js';
import { netOf } from '../../../console/surfaces/lab/net/fault-net.js';
import { Plans } from '../../../console/surfaces/lab/net/plans.js';
import { takeBack } from '../../../console/surfaces/lab/net/take-back.js';
import { REVERT_KINDS } from '../../../console/surfaces/lab/net/revert-kinds.js';
import { eventually } from '../../support/eventually.js';
import { watchSyncs } from '../../support/file-syncs.js';
import { useEach } from '../../support/fixture.js';
import { removeFolder, useTempFolder } from '../../support/temp-folder.js';
import { BY } from '../support/runs.js';
import { PAUSED } from './break-all.js';
import {
  holdsFault,
  kill,
  netChild,
  nodesIn,
  OBJECT_SERVER,
  openNet,
  type OpenNet,
  stateOf,
  stopAll,
} from './net-support.js';

/**
 * Starts what is behind "--", out of our sight, and does with dollars what the service manager does:
 * `$$` is one, and `${…}` is a variable, of which it has none (systemd-run(1)).
 */
const MANAGER = `
import { spawn } from 'node:child_process';
const [program, ...args] = process.argv
  .slice(process.argv.indexOf('--', 2) + 1)
  .map((one) => one.replace(/[$][$]|[$][{][^}]*[}]/g, (found) => (found === '$$' ? '$' : '')));
spawn(program, args, { detached: true, stdio: 'ignore' }).unref();
`;
describe("the net below the Lab's faults", function () {
  this.timeout(180_000);
  const folder = useTempFolder('net');
  const nodes = useEach(() => nodesIn(folder(), [OBJECT_SERVER, PAUSED]), stopAll);
  let opened: OpenNet | undefined;

  beforeEach(async () => {
    for (const node of nodes()) await new LocalProcs().act(node, OBJECT_SERVER, 'start');
    opened = undefined;
  });

  afterEach(async () => {
    await opened?.close();
  });

  const netFolder = () => join(folder(), 'lab', 'net');
  const open = (more: Parameters<typeof openNet>[2] = {}): OpenNet =>
    (opened = openNet(folder(), nodes(), more));
  const start = (net: OpenNet, holdS = 60) =>
    net.net.start('test.stop', { params: { hold_s: holdS }, target: 'node1', ttlS: 60 }, BY);
  const held = (net: OpenNet) =>
    eventually(
      () => Promise.resolve(net.kind.calls),
      (calls) => calls.includes('held'),
    );
  const over = (net: OpenNet, id: string) =>
    eventually(
      () => net.runs.get(id),
      ({ state }) => isOver(state),
    );
  const child = (...args: (string | number)[]): ChildProcess => netChild(folder(), ...args);

  it('takes back by a dead-man what no console is left for, with one of them killed', async () => {
    const console = child(0, 1);
    await holdsFault(console);
    kill(console.pid ?? 0);
    await once(console, 'exit');
    expect(await stateOf(nodes())).to.equal('inactive');
    const journal = await readFile(join(folder(), 'runs', 'journal.jsonl'), 'utf8');
    const pids = [...journal.matchAll(/"dead_men":\[(\d+),(\d+)\]/g)].at(-1);
    kill(Number(pids?.[1]));
    await eventually(
      () => stateOf(nodes()),
      (state) => state === 'active',
    );
    const next = open();
    await next.runs.recover();
    const [run] = await next.runs.list();
    const ended = await over(next, run?.id ?? '');
    expect(ended.state).to.equal('reverted');
    const report = netOf(ended.evidence)?.report;
    expect(report?.by).to.equal('dead_man');
    // The console may have had the lock when it was killed.
    const reverts = report?.outcomes.filter(({ kind }) => kind !== 'net.unlock') ?? [];
    expect(reverts.map(({ text }) => text)).to.deep.equal(['object-server on node1 was started']);
    // The console may have begun to take it back when it was killed.
    const lines = (await next.net.journal(ended.id)).map(({ state, by }) => `${state} ${by}`);
    if (lines[1] === 'reverting console') lines.splice(1, 1);
    expect(lines).to.deep.equal(['armed console', 'reverting dead_man', 'reverted dead_man']);
  });

  it('goes on with a fault that is held, after a kill of the console, and ends it', async () => {
    const console = child(0, 600);
    await holdsFault(console);
    kill(console.pid ?? 0);
    await once(console, 'exit');
    const next = open({ holds: true });
    await next.runs.recover();
    await held(next);
    const { id = '' } = next.net.active ?? {};
    expect(await next.state()).to.equal('inactive');
    await next.net.end(id);
    const run = await over(next, id);
    expect(run).to.deep.include({ state: 'done', result: { by: 'console' } });
    expect(await next.state()).to.equal('active');
  });

  it('starts dead-men again that were killed, and ends them with the fault', async () => {
    const net = open();
    const { id } = await start(net);
    await held(net);
    const pidsOf = async () => netOf((await net.runs.get(id)).evidence)?.dead_men ?? [];
    const former = await pidsOf();
    expect(former).to.have.length(2);
    for (const pid of former) kill(pid);
    const later = await eventually(pidsOf, (pids) => pids.every((pid) => !former.includes(pid)));
    await net.net.end(id);
    await over(net, id);
    for (const pid of later) {
      await eventually(
        () => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
        (text) => !text.includes('ringway-dead-man'),
      );
    }
  });

  it('breaks nothing when a step cannot be written down, whichever it is', async () => {
    for (let at = 1; ; at++) {
      const net = open();
      let syncs = 0;
      const onSync = () => {
        syncs += 1;
        // A disk that has room again for the end.
        if (syncs === at && !net.kind.calls.includes('stop')) {
          throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        }
      };
      const refused = await watchSyncs(onSync, async () => {
        const run = await start(net).catch((error: unknown) => {
          expect(error).to.deep.include({ code: 'no_space', status: 507 });
        });
        if (run === undefined) return true;
        const { id } = run;
        const reached = await eventually(
          () => Promise.resolve(net.kind.calls.includes('held') || net.net.active === undefined),
          Boolean,
        );
        expect(reached).to.equal(true);
        if (net.kind.calls.includes('held')) await net.net.end(id);
        await over(net, id);
        return !net.kind.calls.includes('stop');
      });
      await net.close();
      expect(await stateOf(nodes())).to.equal('active');
      await removeFolder(join(folder(), 'runs'));
      if (!refused) {
        // The intent, the plan with its folder, the journal, and two notes came before the first step.
        expect(at).to.be.at.least(6);
        return;
      }
      expect(net.kind.calls).not.to.include('stop');
      expect(await net.net.cooldownUntilS().catch(() => undefined)).to.equal(undefined);
    }
  });

  for (const [how, isCancelled] of [
    ['cancelled', true],
    ['ended', false],
  ] as const) {
    // prettier-ignore
    it(`takes back on a full disk what is ${how}, and writes it down when there is room`, async () => {
      const net = open();
      const { id } = await start(net);
      await held(net);
      const disk = { isFull: true };
      const onSync = ({ path }: { path: string }) => {
        // The entries of a folder need no room.
        if (disk.isFull && !path.endsWith('/net')) {
          throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        }
      };
      await watchSyncs(onSync, async () => {
        await (isCancelled ? net.runs.cancel(id) : net.net.end(id));
        await eventually(() => net.state(), (state) => state === 'active');
        await eventually(() => net.runs.get(id), ({ evidence }) => netOf(evidence)?.report?.by === 'console'); // prettier-ignore
        expect((await net.runs.get(id)).state).to.equal('reverting');
        disk.isFull = false;
        const run = await over(net, id);
        expect(run.state).to.equal('reverted');
        expect(netOf(run.evidence)?.report?.by).to.equal('console');
        const states = async () => (await net.net.journal(id)).map(({ state }) => state);
        await eventually(states, (all) => all.at(-1) === 'reverted');
      });
    });
  }

  it('has one fault at a time, a time of each, and a rest after it', async () => {
    const net = open();
    for (const ttlS of [9, 3601, Number.NaN]) {
      const request = { params: {}, target: 'node1', ttlS };
      const error = await net.net.start('test.stop', request, BY).catch((why: unknown) => why);
      expect(error).to.deep.include({ code: 'unprocessable', status: 422 });
    }
    const { id } = await start(net);
    await held(net);
    const second = await start(net).catch((why: unknown) => why);
    expect(second).to.deep.include({ code: 'fault_active', status: 409 });
    expect(second).to.have.nested.property('details.id', id);
    await net.net.end(id);
    await over(net, id);
    const third = await start(net).catch((why: unknown) => why);
    expect(third).to.deep.include({ code: 'cooldown', status: 409 });
    expect(third).to.have.nested.property('details.until_unix_s').that.is.a('number');
  });

  it('tries again what could not be taken back, and says what it is', async () => {
    const net = open();
    const { id } = await start(net);
    await held(net);
    const script = join(folder(), 'service.sh');
    const text = await readFile(script);
    await writeFile(script, 'exit 3\n');
    await net.net.end(id);
    const stuck = await eventually(
      () => net.runs.get(id),
      ({ state }) => state === 'stuck',
    );
    expect(stuck.error?.code).to.equal('driver_failed');
    const lines = await net.net.journal(id);
    expect(lines.at(-1)).to.deep.include({ state: 'failed', by: 'console' });
    expect(lines.at(-1)?.outcomes[0]?.text).to.include('object-server cannot be started');
    await writeFile(script, text);
    expect((await over(net, id)).state).to.equal('reverted');
    expect(await net.state()).to.equal('active');
  });

  it('has nothing to take back of a service that has ended while it was paused', async () => {
    const { tools } = open().net;
    const params = { node: 'node1', service: OBJECT_SERVER };
    const resume = () => REVERT_KINDS['service.resume']?.(params, tools);
    await tools.driver.act(tools.node('node1'), OBJECT_SERVER, 'pause');
    expect(await stateOf(nodes())).to.equal('paused');
    expect(await resume()).to.equal('object-server on node1 goes on');
    await stopAll(nodes());
    expect(await resume()).to.equal('object-server on node1 has ended: nothing of it is paused');
  });

  it('lets nobody take back while a step is under way, and does none afterwards', async () => {
    const { net, runs } = open();
    const order: string[] = [];
    const stop = async (): Promise<void> => {
      await net.tools.driver.act(net.tools.node('node1'), OBJECT_SERVER, 'stop');
      order.push('stopped');
    };
    net.register({
      ...{ name: 'test.slow', kept: 20, holds: false },
      async run(fault) {
        const params = { node: 'node1', service: OBJECT_SERVER };
        await fault.arm([{ kind: 'service.start', params }]);
        const plans = new Plans(netFolder());
        const taking: Promise<unknown>[] = [];
        await fault.act('stop', async () => {
          taking.push(takeBack(plans, fault.id, 'dead_man').then(() => order.push('taken back')));
          await stop();
        });
        await Promise.all(taking);
        const late = await fault.act('stop again', stop).catch((error: unknown) => error);
        expect(late).to.deep.include({ code: 'not_running' });
      },
    });
    const { id } = await net.start('test.slow', { params: {}, target: 'node1', ttlS: 60 }, BY);
    const run = await eventually(() => runs.get(id), ({ state }) => isOver(state)); // prettier-ignore
    expect(run).to.deep.include({ state: 'done', error: null });
    expect(order).to.deep.equal(['stopped', 'taken back']);
    expect(await stateOf(nodes())).to.equal('active');
  });

  it('breaks nothing where dead-men would end with the service of the console', async () => {
    const cgroupFile = join(folder(), 'cgroup');
    const deadMen = { systemdFolder: folder(), systemdRun: '/bin/false', cgroupFile };
    await writeFile(cgroupFile, '0::/system.slice/ringway.service\n');
    const net = open({ deadMen });
    const run = await over(net, (await start(net)).id);
    expect(run.error?.code).to.equal('unsupported_here');
    expect(run.error?.message).to.include('as a systemd service');
    expect(net.kind.calls).to.deep.equal([]);
    expect(await net.state()).to.equal('active');
    await net.close();
    // In a session of a person they stay.
    await writeFile(cgroupFile, '0::/user.slice/user-1000.slice/session-2.scope\n');
    const other = open({ deadMen });
    const { id } = await start(other);
    await held(other);
    await other.net.end(id);
    expect((await over(other, id)).state).to.equal('done');
  });

  it('leaves dead-men to systemd where there is one', async () => {
    const bin = join(folder(), 'bin');
    await mkdir(bin);
    const program = async (name: string, body: string): Promise<string> => {
      const file = join(bin, name);
      await writeFile(file, `#!/bin/sh\necho "$*" >> ${bin}/calls\n${body}\n`);
      await chmod(file, 0o755);
      return file;
    };
    const manager = join(bin, 'manager.mjs');
    await writeFile(manager, MANAGER);
    const deadMen = {
      systemdFolder: bin,
      systemdRun: await program('systemd-run', `exec "${process.execPath}" "${manager}" "$@"`),
      systemctl: await program('systemctl', 'exit 0'),
    };
    const net = open({ deadMen });
    const { id } = await start(net, 8);
    await held(net);
    expect(netOf((await net.runs.get(id)).evidence)?.dead_men).to.deep.equal([]);
    const calls = await readFile(join(bin, 'calls'), 'utf8');
    expect(calls.match(/--quiet --collect --property=Restart=on-failure --property=RestartSec=1 --property=StartLimitIntervalSec=0 --unit=ringway-fault-\S+\.service -- \/bin\/sh/g)).to.have.length(2); // prettier-ignore
    await net.close();
    expect(await stateOf(nodes())).to.equal('inactive');
    const hasPlan = () => existsSync(join(netFolder(), `${id}.plan.json`));
    await eventually(() => Promise.resolve(hasPlan()), (has) => !has); // prettier-ignore
    expect(await stateOf(nodes())).to.equal('active');
    expect((await net.net.journal(id)).at(-1)).to.deep.include({ state: 'reverted', by: 'dead_man' }); // prettier-ignore
  });
});
