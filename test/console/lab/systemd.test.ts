import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { ServiceStatus } from '../../../console/nodes/driver.js';
import type { RunView } from '../../../console/server/runs/run.js';
import { eventually } from '../../support/eventually.js';
import { describeWith } from '../../support/needs.js';
import { skipBecause } from '../../support/skip.js';
import { Systemd, SYSTEMD_NEEDS } from '../../support/systemd.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';

const CHILD = fileURLToPath(new URL('systemd-child.js', import.meta.url));
/** As Debian names it; with a worker, and started again when it fails. */
const UNIT = 'swift-object.service';
const UNIT_TEXT = `[Service]
ExecStart=/bin/sh -c 'sleep 10000 & wait $!; sleep 10000 & wait'
Restart=on-failure
`;
const FAULTS = 'ringway-fault-*';

describeWith(SYSTEMD_NEEDS, 'the net of the Lab with systemd', function () {
  this.timeout(300_000);
  let systemd: Systemd;
  let folder: string;

  before(async function () {
    try {
      systemd = await Systemd.start();
    } catch (error) {
      skipBecause(this, `systemd does not start here: ${String(error).slice(0, 200)}`);
    }
    await systemd.write(UNIT, UNIT_TEXT);
  });
  after(async () => {
    // Undefined where it could not be started.
    await (systemd as Systemd | undefined)?.close();
  });
  beforeEach(async () => {
    folder = await makeTempFolder('systemd');
    await systemd.run('systemctl', 'start', UNIT);
  });
  afterEach(async () => {
    await systemd.run('systemctl', 'stop', 'console.service', FAULTS);
    await removeFolder(folder);
  });

  const stateOf = async (unit: string) =>
    (await systemd.run('systemctl', 'show', '-p', 'ActiveState', '--value', unit)).stdout.trim();
  const faultUnits = async () => {
    const { stdout } = await systemd.run(
      'systemctl',
      'list-units',
      '--plain',
      '--no-legend',
      FAULTS,
    );
    const names = stdout.split('\n').map((line) => line.split(' ')[0] ?? '');
    return names.filter((name) => name !== '');
  };
  /** Starts a console with a fault as a service. */
  const startConsole = (holdS: number, ...options: readonly string[]) =>
    systemd.run('systemd-run', '--quiet', '--collect', '--unit=console.service', ...options, '--', process.execPath, CHILD, 'hold', folder, String(holdS)); // prettier-ignore
  const file = (name: string) =>
    eventually(
      () => Promise.resolve(existsSync(join(folder, name))),
      (isThere) => isThere,
      120_000,
    );

  it('stops, starts and pauses a unit by the driver, which Restart= does not undo', async () => {
    const verbs = ['status', 'stop', 'stop', 'start', 'kill_child', 'pause'];
    const { code, stdout } = await systemd.run(process.execPath, CHILD, 'drive', folder, ...verbs);
    expect(code, stdout).to.equal(0);
    const seen = JSON.parse(stdout) as ServiceStatus[];
    expect(seen.map(({ state }) => state)).to.deep.equal(
      ['active', 'inactive', 'inactive', 'active', 'active', 'active'],
    ); // prettier-ignore
    const [first, , , started, killed, paused] = seen;
    expect(started?.pid).not.to.equal(first?.pid);
    expect([killed?.pid, paused?.pid], 'the parent').to.deep.equal([started?.pid, started?.pid]);
    const processState = async () => {
      const stat = await systemd.run('cat', `/proc/${started?.pid}/stat`);
      return stat.stdout.split(') ')[1]?.[0];
    };
    expect(await processState()).to.equal('T');
    await systemd.run(process.execPath, CHILD, 'drive', folder, 'resume');
    expect(await processState()).to.equal('S');
  });

  it('has dead-men as units, which outlive the service of the console and are started again', async () => {
    await startConsole(8);
    await file('held');
    expect(await stateOf(UNIT)).to.equal('inactive');
    const units = await faultUnits();
    expect(units).to.have.length(2);
    await systemd.run('systemctl', 'stop', 'console.service');
    for (const unit of units) {
      await systemd.run('systemctl', 'kill', '--signal=SIGKILL', unit);
    }
    for (const unit of units) {
      await eventually(
        () => systemd.run('systemctl', 'show', '-p', 'NRestarts', '--value', unit),
        ({ stdout }) => Number(stdout) > 0,
      );
    }
    await eventually(
      () => stateOf(UNIT),
      (state) => state === 'active',
      60_000,
    );
    const journal = join(folder, 'lab', 'net', 'journal.jsonl');
    const text = await eventually(
      () => readFile(journal, 'utf8'),
      (all) => all.includes('"state":"reverted"'),
    );
    const lines = text.trimEnd().split('\n').map((line) => JSON.parse(line) as { state: string; by: string }); // prettier-ignore
    expect(lines.map(({ state, by }) => `${state} ${by}`)).to.deep.equal([
      'armed console',
      'reverting dead_man',
      'reverted dead_man',
    ]);
    await eventually(faultUnits, ({ length }) => length === 0);
  });

  it('breaks nothing for a console that is a service and may not start units', async () => {
    await startConsole(60, '--property=InaccessiblePaths=/run/systemd/private');
    await file('over');
    const run = JSON.parse(await readFile(join(folder, 'over'), 'utf8')) as RunView;
    expect([run.state, run.error?.code]).to.deep.equal(['reverted', 'unsupported_here']);
    expect([existsSync(join(folder, 'held')), await stateOf(UNIT)]).to.deep.equal([
      false,
      'active',
    ]);
  });
});
