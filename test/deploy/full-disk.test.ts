import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { InstallFile } from '../../src/deploy/drivers/driver.js';
import { LocalDriver } from '../../src/deploy/drivers/local.js';
import { importState } from '../../src/deploy/state/import.js';
import { useEach } from '../support/fixture.js';
import { describeWith, type Need } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { useTempFolder } from '../support/temp-folder.js';
import { until } from '../support/until.js';
import { otherWorkers, small, TestDeploy } from './service-support.js';
import { fileOf, messageOf, NODE } from './support.js';

const mount: Need = {
  name: 'the right to mount a tmpfs',
  isMet: () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringway-mount-'));
    const isMounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
    if (isMounted) spawnSync('umount', [folder]);
    rmSync(folder, { recursive: true });
    return isMounted;
  },
};

describeWith([mount], 'deploy: disks of nodes', () => {
  const folder = useTempFolder('deploy-disk');
  const driver = useEach(() => new LocalDriver(folder()));

  beforeEach(async () => {
    await mkdir(join(folder(), 'node1'));
    await mustRun('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', join(folder(), 'node1')]);
  });

  afterEach(async () => {
    await mustRun('umount', [join(folder(), 'node1')]);
  });

  const conf = (text: string) => fileOf('etc/swift/swift.conf', text);

  function install(files: readonly InstallFile[], deleted: readonly string[] = []) {
    return driver().install({ run: 'run-1', node: NODE, files, deleted, expected: {} });
  }

  const present = () => readFile(join(folder(), 'node1/etc/swift/swift.conf'), 'utf8');

  it('have nothing half installed where one is full, and all of it once there is room', async () => {
    await install([conf('before')]);
    const large = fileOf('etc/swift/object.ring.gz', 'x'.repeat(300_000));
    const wanted = [conf('after'), large];
    expect(await messageOf(install(wanted, ['etc/swift/swift.conf']))).to.contain('ENOSPC');
    expect(await present()).to.equal('before');
    expect(await readdir(join(folder(), 'node1'))).to.deep.equal(['etc']);
    await mustRun('mount', ['-o', 'remount,size=1m', join(folder(), 'node1')]);
    expect(await install(wanted)).to.equal(2);
    expect(await present()).to.equal('after');
  });

  it('have nothing half installed where one is read-only', async () => {
    await install([conf('before')]);
    await mustRun('mount', ['-o', 'remount,ro', join(folder(), 'node1')]);
    expect(await messageOf(install([conf('after'), fileOf('etc/rsyncd.conf', 'x')]))).to.contain(
      'EROFS',
    );
    expect(await present()).to.equal('before');
    await mustRun('mount', ['-o', 'remount,rw', join(folder(), 'node1')]);
    expect(await install([conf('after')])).to.equal(1);
  });

  it('have nothing half installed where a folder of it is mounted, or read-only', async () => {
    const files = [conf('before'), fileOf('etc/ringway/ringway.json', '{}')];
    await install(files);
    const place = join(folder(), 'node1/etc/ringway');
    await mustRun('mount', ['--bind', place, place]);
    try {
      const over = [conf('over'), fileOf('etc/ringway/ringway.json', '{"b": 1}')];
      expect(await messageOf(install(over))).to.contain('EXDEV');
      expect(await readdir(place)).to.deep.equal(['ringway.json']);
      await mustRun('mount', ['-o', 'remount,bind,ro', place]);
      const after = [conf('after'), fileOf('etc/ringway/ringway.json', '{"a": 1}')];
      expect(await messageOf(install(after))).to.contain('EROFS');
      expect(await present()).to.equal('before');
    } finally {
      await mustRun('umount', [place]);
    }
  });
});

describeWith([mount], 'deploy: the disk of the state', function () {
  this.timeout(120_000);
  const folder = useTempFolder('deploy-state-disk');
  const state = useEach(() => join(folder(), 'one/state'));
  let deploy: TestDeploy | undefined;

  beforeEach(async () => {
    await mkdir(state(), { recursive: true });
    await mustRun('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', state()]);
  });

  afterEach(async () => {
    await deploy?.close();
    deploy = undefined;
    await mustRun('umount', [state()]);
  });

  const fill = () =>
    writeFile(join(state(), 'ballast'), Buffer.alloc(16 << 20)).catch(() => undefined);

  it('is told of where it is full, and nothing is begun or half done then', async () => {
    deploy = await TestDeploy.start(join(folder(), 'one'));
    await deploy.putSpec(small);
    const before = await deploy.call('GET', '/v1/spec');
    const plan = await deploy.plan();
    await fill();
    const full = [
      await deploy.putSpec(otherWorkers),
      await deploy.call('POST', '/v1/plans', { body: { seed: 2 } }),
      await deploy.apply(plan, 'full'),
    ];
    for (const { status, json } of full) {
      expect([status, json.error.code]).to.deep.equal([507, 'no_space']);
    }
    expect((await deploy.call('GET', '/v1/spec')).headers.etag).to.equal(before.headers.etag);
    expect((await deploy.call('GET', '/v1/status')).json.lock).to.equal(null);
    expect(await readdir(join(folder(), 'one'))).not.to.include('nodes');
    await rm(join(state(), 'ballast'));
    const { json } = await deploy.apply(plan, 'room');
    expect((await deploy.ended(json.run_id)).state).to.equal('succeeded');
  });

  it('ends a run whose journal has no room, and a retry completes it once there is some', async () => {
    deploy = await TestDeploy.driven(join(folder(), 'one'));
    const { driver } = deploy;
    await deploy.putSpec(small);
    driver.waitsAfter = 'node2';
    const plan = await deploy.plan();
    const { json } = await deploy.apply(plan, 'full');
    await until(() => driver.release !== undefined);
    await fill();
    driver.release?.();
    const run = await deploy.ended(json.run_id);
    expect(run.state).to.equal('partial');
    expect(run.message).to.match(/^The state could not be written: ENOSPC/);
    expect(driver.begun).to.deep.equal(['node1', 'node2']);
    await rm(join(state(), 'ballast'));
    const retry = await deploy.retry(run.id, 'room');
    expect((await deploy.ended(retry.json.run_id)).state).to.equal('succeeded');
    expect(await deploy.nodeStates()).to.deep.equal(Array(4).fill('in_sync'));
  });

  it('may be mounted where an exported state is taken to', async () => {
    const other = await TestDeploy.start(join(folder(), 'two'));
    await other.putSpec(small);
    const archive = join(folder(), 'state.export');
    await writeFile(archive, (await other.call('GET', '/v1/export')).text);
    await other.close();
    await importState(archive, state());
    deploy = await TestDeploy.start(join(folder(), 'one'));
    expect((await deploy.call('GET', '/v1/spec')).json).to.deep.equal(small);
  });
});
