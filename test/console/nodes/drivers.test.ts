import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { clusterNodes } from '../../../console/config/keys.js';
import type { NodeDriver, ServiceVerb } from '../../../console/nodes/driver.js';
import { LocalProcs } from '../../../console/nodes/local-procs.js';
import { openDriver } from '../../../console/nodes/open-driver.js';
import { allProcesses, descendantsOf, runsProgram } from '../../../console/nodes/processes.js';
import { SWIFT_INIT_SCRIPTS } from '../../../console/nodes/service-scripts.js';
import { ShellDriver } from '../../../console/nodes/shell-driver.js';
import { makeShell } from '../../../console/nodes/shell.js';
import { eventually } from '../../support/eventually.js';
import { codeOf } from '../../support/failure.js';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';
import { nodesIn, OBJECT_SERVER, stopAll } from '../lab/net-support.js';

describe('a driver of processes of this machine', () => {
  const folder = useTempFolder('procs');
  const nodes = useEach(() => nodesIn(folder(), [OBJECT_SERVER, 'container-server']), stopAll);
  const driver = new LocalProcs();

  const node = () => {
    const [first] = nodes();
    if (first === undefined) throw new Error('no node');
    return first;
  };
  const state = async () => (await driver.status(node(), [OBJECT_SERVER]))[0]?.state;
  const act = (verb: ServiceVerb) => driver.act(node(), OBJECT_SERVER, verb);

  it('starts, pauses, goes on with and stops a service, and does nothing twice', async () => {
    expect(await state()).to.equal('inactive');
    expect(await act('stop')).to.deep.equal({ changed: false });
    expect(await act('start')).to.deep.equal({ changed: true });
    expect(await act('start')).to.deep.equal({ changed: false });
    expect(await state()).to.equal('active');
    expect(await act('pause')).to.deep.equal({ changed: true });
    expect(await state()).to.equal('paused');
    expect(await act('resume')).to.deep.equal({ changed: true });
    expect(await act('resume')).to.deep.equal({ changed: false });
    expect(await act('pause')).to.deep.equal({ changed: true });
    expect(await act('stop'), 'a service that is paused').to.deep.equal({ changed: true });
    expect(await state()).to.equal('inactive');
    expect(await codeOf(act('pause'))).to.equal('failed');
  });

  it('finds a service whose file is gone or another one, and takes no other process for it', async () => {
    await act('start');
    const file = join(folder(), `${OBJECT_SERVER}.pid`);
    await writeFile(file, `${process.pid}\n`);
    expect(await state()).to.equal('active');
    await rm(file);
    expect(await act('start')).to.deep.equal({ changed: false });
    await act('stop');
    await writeFile(file, `${process.pid}\n`);
    expect(await act('stop'), 'a file that names this test').to.deep.equal({ changed: false });
  });

  it('says of a service that ends while it is still at work on its start that it cannot be started', async () => {
    const script = join(folder(), 'late.sh');
    await writeFile(script, 'i=0\nwhile [ $i -lt 1500000 ]; do i=$((i + 1)); done\nexit 3\n');
    const late = { pid_file: join(folder(), 'late.pid'), argv: ['/bin/sh', script] };
    const given = { name: 'n', storage_ip: '127.0.0.1', services: { [OBJECT_SERVER]: late } };
    const [own] = clusterNodes().parse([given]);
    if (own === undefined) throw new Error('no node');
    const error = await driver.act(own, OBJECT_SERVER, 'start').catch((why: unknown) => why);
    expect((error as Error).message).to.include('it ended with 3');
  });

  it('says of a service that a signal has ended before its file was written that it cannot be started', async () => {
    const [script, ran] = [join(folder(), 'dies.sh'), join(folder(), 'ran')];
    await writeFile(script, `echo > ${ran}\nkill -9 $$\n`);
    const dying = { pid_file: join(folder(), 'dying.pid'), argv: ['/bin/sh', script] };
    const given = { name: 'n', storage_ip: '127.0.0.1', services: { [OBJECT_SERVER]: dying } };
    const [own] = clusterNodes().parse([given]);
    if (own === undefined) throw new Error('no node');
    // A pipe: what writes into it waits for the one who reads.
    await promisify(execFile)('mkfifo', [`${dying.pid_file}.new`]);
    const starting = driver.act(own, OBJECT_SERVER, 'start').catch((why: unknown) => why);
    await eventually(
      () => Promise.resolve(existsSync(ran)),
      (hasRun) => hasRun,
    );
    await eventually(allProcesses, (all) => !all.some(({ argv }) => argv.includes(script)));
    await readFile(`${dying.pid_file}.new`);
    expect(await starting).to.have.property(
      'message',
      `${OBJECT_SERVER} cannot be started: it ended with SIGKILL`,
    );
  });

  it('writes through no link that others put in the place of its file', async () => {
    const [file, victim] = [join(folder(), 'linked.pid'), join(folder(), 'victim')];
    await writeFile(victim, 'precious');
    await symlink(victim, `${file}.new`);
    const linked = { pid_file: file, argv: ['/bin/true'] };
    const given = { name: 'n', storage_ip: '127.0.0.1', services: { [OBJECT_SERVER]: linked } };
    const [own] = clusterNodes().parse([given]);
    if (own === undefined) throw new Error('no node');
    const error: unknown = await driver.act(own, OBJECT_SERVER, 'start').catch(String);
    expect(error).to.contain('ELOOP');
    expect(await readFile(victim, 'utf8')).to.equal('precious');
  });

  it('kills one child and never the parent', async () => {
    expect(await codeOf(act('kill_child'))).to.equal('failed');
    await act('start');
    const pid = Number(await readFile(join(folder(), `${OBJECT_SERVER}.pid`), 'utf8'));
    const below = async () => descendantsOf(pid, await allProcesses());
    const [former] = await eventually(below, ({ length }) => length > 0);
    expect(await act('kill_child')).to.deep.equal({ changed: true });
    await eventually(below, (all) => all.length > 0 && all.every((one) => one.pid !== former?.pid));
    expect(await state()).to.equal('active');
  });

  it('runs one pass to its end, and says when that fails or takes too long', async () => {
    const passes = join(folder(), 'passes');
    const script = join(folder(), 'daemon.sh');
    await writeFile(script, `echo "$*" >> ${passes}\n[ "$3" != slow ] || sleep 60\n[ -z "$4" ]\n`);
    const daemon = { pid_file: join(folder(), 'd.pid'), argv: ['/bin/sh', script, 'conf'] };
    const given = { name: 'n', storage_ip: '127.0.0.1', services: { 'object-auditor': daemon } };
    const [own] = clusterNodes().parse([given]);
    if (own === undefined) throw new Error('no node');
    await driver.once(own, 'object-auditor', ['-d'], 30_000);
    expect(await readFile(passes, 'utf8')).to.equal('conf once -d\n');
    expect(await codeOf(driver.once(own, 'object-auditor', ['a', 'b'], 30_000))).to.equal('failed');
    expect(await codeOf(driver.once(own, 'object-auditor', ['slow'], 100))).to.equal('failed');
    expect(await codeOf(driver.once(own, 'object-server', [], 100))).to.equal('unknown_service');
  });

  it('says why a service does not start', async () => {
    await writeFile(join(folder(), 'service.sh'), 'exit 3\n');
    const error = await act('start').catch((why: unknown) => why);
    expect(error).to.have.property('message', `${OBJECT_SERVER} cannot be started: it ended with 3`); // prettier-ignore
  });

  it('knows a program by its arguments', () => {
    const wanted = ['/usr/bin/swift-object-server', '/etc/o.conf'];
    expect(runsProgram(['/usr/bin/python3', ...wanted], wanted)).to.equal(true);
    expect(runsProgram(wanted, wanted)).to.equal(true);
    expect(runsProgram([...wanted, 'once'], wanted)).to.equal(false);
    expect(runsProgram(['vim', '/etc/o.conf'], wanted)).to.equal(false);
    expect(runsProgram(['/etc/o.conf'], wanted)).to.equal(false);
    expect(runsProgram([], wanted)).to.equal(false);
  });
});

describe('drivers that run programs on a host', () => {
  const folder = useTempFolder('units');
  const calls = useEach(() => join(folder(), 'calls'));

  beforeEach(async () => {
    await mkdir(join(folder(), 'bin'));
    await program('ssh', `echo "ssh $*" | sed 's/ -- .*//; q' >> ${calls()}
for last in "$@"; do :; done
PATH=${folder()}/bin:$PATH; export PATH
exec sh -c "$last"`); // prettier-ignore
    await program('systemctl', `echo "systemctl $*" >> ${calls()}
for last in "$@"; do :; done
case "$*" in
  *LoadState*) case $last in swift-object.service|swift-object-replicator.service) echo loaded;; *) echo not-found;; esac;;
  *ActiveState*) cat ${folder()}/state;;
  *MainPID*) echo 41;;
esac`); // prettier-ignore
    await program('swift-init', `echo "swift-init $*" >> ${calls()}
[ "$2" != status ] || [ -e ${folder()}/runs ]`); // prettier-ignore
    await writeFile(join(folder(), 'state'), 'active\n');
  });

  const program = async (name: string, body: string) => {
    const file = join(folder(), 'bin', name);
    await writeFile(file, `#!/bin/sh\n${body}\n`);
    await chmod(file, 0o755);
  };
  const ssh = () => join(folder(), 'bin', 'ssh');
  const [node] = clusterNodes().parse([{ name: 'node1', storage_ip: '10.0.0.7' }]);
  if (node === undefined) throw new Error('no node');
  const overSsh = (): NodeDriver => {
    const driver = openDriver('ssh', ssh());
    if (driver === undefined) throw new Error('no driver');
    return driver;
  };
  const called = async () => (await readFile(calls(), 'utf8')).trimEnd().split('\n');

  it('reach units by ssh, under the name that the host has for them', async () => {
    const driver = overSsh();
    const services = ['object-server', 'object-replicator', 'account-server'];
    expect(await driver.status(node, services)).to.deep.equal([
      { name: 'object-server', state: 'active', pid: 41 },
      { name: 'object-replicator', state: 'active', pid: 41 },
      { name: 'account-server', state: 'absent', pid: null },
    ]);
    expect((await called())[0]).to.equal(
      'ssh -o BatchMode=yes -o ConnectTimeout=5 -o StrictHostKeyChecking=yes',
    );
    await writeFile(calls(), '');
    await driver.act(node, 'object-server', 'stop');
    await driver.act(node, 'object-server', 'start');
    await driver.act(node, 'object-server', 'pause');
    expect((await called()).filter((line) => /stop|start|kill/.test(line))).to.deep.equal([
      'systemctl stop -- swift-object.service',
      'systemctl start -- swift-object.service',
      'systemctl kill --signal=SIGSTOP -- swift-object.service',
    ]);
    expect(await codeOf(driver.act(node, 'account-server', 'stop'))).to.equal('unknown_service');
  });

  it('ask for no service that they do not know, whatever it is called', async () => {
    const driver = overSsh();
    for (const name of ['proxy-server', 'ringway', 'object-server; reboot', '-H', '']) {
      expect(await codeOf(driver.act(node, name, 'stop')), name).to.equal('unknown_service');
      expect(await codeOf(driver.status(node, [name])), name).to.equal('unknown_service');
    }
    expect(await readFile(calls(), 'utf8').catch(() => 'nothing')).to.equal('nothing');
  });

  it('say that a host does not answer', async () => {
    await program('ssh', 'exit 255');
    const driver = overSsh();
    expect(await codeOf(driver.status(node, ['object-server']))).to.equal('unreachable');
    expect(await codeOf(driver.act(node, 'object-server', 'stop'))).to.equal('unreachable');
  });

  it('use swift-init, which can neither pause nor run one pass', async () => {
    const shell = makeShell({ ssh: ssh(), outputBytesMax: 65_536 });
    const driver = new ShellDriver(shell, SWIFT_INIT_SCRIPTS);
    expect((await driver.status(node, ['object-server']))[0]?.state).to.equal('inactive');
    await driver.act(node, 'object-server', 'stop');
    await writeFile(join(folder(), 'runs'), '');
    expect(await codeOf(driver.act(node, 'object-server', 'stop')), 'still runs').to.equal('failed'); // prettier-ignore
    await driver.act(node, 'object-server', 'start');
    expect((await driver.status(node, ['object-server']))[0]?.state).to.equal('active');
    const all = (await called()).filter((line) => /stop|start/.test(line));
    expect(all).to.deep.equal([
      'swift-init object-server stop -k 15',
      'swift-init object-server stop -k 15',
      'swift-init object-server start',
    ]);
    expect(await codeOf(driver.act(node, 'object-server', 'pause'))).to.equal('unsupported');
    expect(await codeOf(driver.once())).to.equal('unsupported');
  });

  it('are none where there is none', () => {
    expect(openDriver('none')).to.equal(undefined);
  });
});
