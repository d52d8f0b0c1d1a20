import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { LocalDriver } from '../../src/deploy/drivers/local.js';
import { ThisHostDriver } from '../../src/deploy/drivers/this-host.js';
import { parseDeployConfig } from '../../src/deploy/service/config.js';
import { driverOf } from '../../src/deploy/service/start.js';
import { useEach } from '../support/fixture.js';
import { describeWith, program } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { useTempFolder } from '../support/temp-folder.js';
import { until } from '../support/until.js';
import { fakeSystemctl } from './processes.js';
import { makeFolders, otherWorkers, small, TestDeploy } from './service-support.js';

describeWith([program('python3')], 'deploy: the node that is this host', function () {
  // Each look is a start of Python.
  this.timeout(240_000);
  const folder = useTempFolder('deploy-this-host');
  const programs = useEach(() => join(folder(), 'programs'));
  let deploy: TestDeploy;

  beforeEach(async () => {
    await mkdir(programs());
    await fakeSystemctl(programs());
    const group = (await mustRun('id', ['-Gn'])).stdout.trim().split(' ').at(-1) ?? '';
    const driver = new ThisHostDriver(
      'node1',
      {
        // Its place is the root of this machine, but for a test.
        rootOf: () => join(folder(), 'host'),
        path: `${programs()}:/usr/bin:/bin`,
        reloads: true,
        swiftGroup: group,
        gatewayUser: '',
      },
      new LocalDriver(join(folder(), 'nodes')),
    );
    deploy = await TestDeploy.start(folder(), { driver });
  });

  afterEach(async () => {
    await deploy.close();
  });

  it('has its files in /etc, and its services reloaded, beside nodes that are folders', async () => {
    await deploy.putSpec(small);
    const run = await deploy.succeed('first');
    expect(run.steps.map(({ state }) => state)).to.deep.equal([
      ...['succeeded', 'succeeded'],
      ...['succeeded', 'staged', 'succeeded', 'staged', 'succeeded', 'staged'],
    ]);
    const at = (name: string) => join(folder(), 'host', name);
    await mustRun('sha256sum', ['-c', '--quiet', 'etc/swift/SHA256SUMS'], { cwd: at('.') });
    expect((await stat(at('etc/swift/swift.conf'))).mode & 0o777).to.equal(0o640);
    const calls = () => readFile(join(programs(), 'calls'), 'utf8');
    expect(await calls()).to.contain('reload-or-restart swift-proxy swift-proxy-*\n');
    expect((await deploy.installed('node2', 'etc/swift/swift.conf')).length).to.be.above(0);
    expect(await deploy.nodeStates()).to.deep.equal(Array(4).fill('in_sync'));
    // A service that does not run afterwards stops the run, and a retry finishes it.
    await writeFile(join(programs(), 'down-swift-proxy'), '');
    await deploy.putSpec(otherWorkers);
    const stopped = await deploy.deploy('second');
    expect([stopped.state, stopped.message]).to.deep.equal([
      'partial',
      'node1: systemctl is-active swift-proxy ended with 3: inactive',
    ]);
    await rm(join(programs(), 'down-swift-proxy'));
    const { json } = await deploy.retry(stopped.id, 'retry');
    expect((await deploy.ended(json.run_id)).state).to.equal('succeeded');
  });

  it('keeps what the Users page has changed, and waits while that changes it', async () => {
    await deploy.putSpec(small);
    await deploy.succeed('first');
    const conf = join(folder(), 'host/etc/swift/proxy-server.conf');
    const held = join(folder(), 'held');
    // As the page does it: under a lock of the folder.
    const script = `exec 9<"$1"; flock 9; : > "$2"
      until [ -e "$3" ]; do sleep 0.1; done
      echo '# a user was removed' >> "$1/proxy-server.conf"`;
    const staging = join(folder(), 'host/.ringway-deploy');
    const swift = join(folder(), 'host/etc/swift');
    const page = mustRun('sh', ['-c', script, 'page', swift, held, staging]);
    await until(() => existsSync(held));
    await deploy.putSpec(otherWorkers);
    const run = await deploy.deploy('second');
    await page;
    expect(run.state).to.equal('failed');
    expect(run.message).to.contain('node1: etc/swift/proxy-server.conf was changed since');
    expect(await readFile(conf, 'utf8')).to.match(/a user was removed\n$/);
  });

  it('is replaced in no part where a part of it cannot be', async () => {
    await deploy.putSpec(small);
    await mkdir(join(folder(), 'host/etc'), { recursive: true });
    await writeFile(join(folder(), 'host/etc/ringway'), 'a file in the place of a folder');
    const run = await deploy.deploy('first');
    expect(run.state).to.equal('failed');
    expect(run.message).to.match(/^node1: .*(?:exists|not a directory)/i);
    const { stdout } = await mustRun('find', [join(folder(), 'host'), '-type', 'f']);
    expect(stdout.trim()).to.equal(join(folder(), 'host/etc/ringway'));
  });

  it('is one of the local driver, whose paths are those of a host', async () => {
    const config = await makeFolders(join(folder(), 'other'));
    const options = (more: object) =>
      parseDeployConfig({ ...config, ...more }, folder() + '/other');
    const node = { name: 'node1', storage_ip: '127.0.0.1' };
    const reload = { this_node: 'node1', local_reload: 'systemd' };
    const driver = driverOf(options(reload));
    const etc = await driver.hashes(node, ['etc/hostname', 'etc/swift/none']);
    expect([...etc.values()].map((hash) => hash === null)).to.deep.equal([false, true]);
    expect([driver.reloads?.(node), driver.reloads?.({ ...node, name: 'node2' })]).to.deep.equal([
      true,
      false,
    ]);
    expect(driverOf(options({ this_node: 'node1' })).reloads?.(node)).to.equal(false);
    for (const wrong of [{ files_for: 'folder' }, { driver: 'ssh' }, { this_node: '../x' }]) {
      expect(() => options({ ...reload, ...wrong })).to.throw('this_node');
    }
  });
});
