import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { InstallFile } from '../../src/deploy/drivers/driver.js';
import { REMOTE_SCRIPT } from '../../src/deploy/drivers/remote-script.js';
import { SshDriver, type SshOptions } from '../../src/deploy/drivers/ssh.js';
import { describeWith, program } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { Sshd } from '../support/sshd.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { until } from '../support/until.js';
import { fakeSystemctl } from './processes.js';
import { otherWorkers, small, TestDeploy } from './service-support.js';
import { fileOf, messageOf, NODE } from './support.js';

const SUDO = `#!/bin/sh
echo "sudo $1 $2" >> "$(dirname "$0")/calls"
shift
exec "$@"
`;
const NEEDS = ['sshd', 'ssh', 'python3'].map(program);

describeWith(NEEDS, 'deploy: driver ssh', function () {
  // Each connection is four processes, and there are thirty in one test.
  this.timeout(600_000);
  const folder = useTempFolderOnce('deploy-ssh');
  let programs: string;
  let sshd: Sshd;

  before(async () => {
    programs = join(folder(), 'programs');
    await mkdir(programs);
    await fakeSystemctl(programs);
    await writeFile(join(programs, 'sudo'), SUDO, { mode: 0o755 });
    sshd = await Sshd.start(join(folder(), 'ssh d'), programs);
  });

  beforeEach(async () => {
    await rm(join(folder(), 'nodes'), { recursive: true, force: true });
    await rm(join(programs, 'calls'), { force: true });
  });

  after(async () => {
    // There is none where its start failed.
    await (sshd as Sshd | undefined)?.stop();
  });

  const at = (name: string): string => join(folder(), 'nodes/node1', name);
  const calls = () => readFile(join(programs, 'calls'), 'utf8');

  function driver(more: Partial<SshOptions> = {}): SshDriver {
    const { user, port, keyFile, knownHostsFile } = sshd;
    const own = { user, port, keyFile, knownHostsFile };
    const rootOf = (node: string) => join(folder(), 'nodes', node);
    const rest = { address: 'storage_ip', sudo: false, reloads: true } as const;
    const owners = { swiftGroup: '', gatewayUser: '' };
    return new SshDriver({ ...own, rootOf, ...rest, ...owners, ...more });
  }

  function install(files: readonly InstallFile[], deleted: readonly string[] = [], by = driver()) {
    return by.install({ run: 'run-1', node: NODE, files, deleted, expected: {} });
  }

  it('puts files in place with their modes, and only those that differ', async () => {
    const large = fileOf('etc/swift/object.ring.gz', 'x'.repeat(3 * 1024 * 1024), 0o644);
    const odd = fileOf("etc/swift/a file; $(id) 'of' `odd` name", 'odd');
    expect(await install([fileOf('etc/swift/swift.conf', 'secret'), large, odd])).to.equal(3);
    expect(await readFile(at(odd.path), 'utf8')).to.equal('odd');
    expect((await stat(at('etc/swift/swift.conf'))).mode & 0o777).to.equal(0o640);
    expect((await stat(at(large.path))).size).to.equal(large.content.length);
    await chmod(at(odd.path), 0o600);
    const again = [fileOf('etc/swift/swift.conf', 'other'), large, odd];
    expect(await install(again, ['etc/swift/gone'])).to.equal(2);
    expect(await install(again)).to.equal(0);
    expect(await install([], [odd.path, 'etc/none'])).to.equal(1);
    expect(await readdir(at('etc/swift'))).to.have.members(['swift.conf', 'object.ring.gz']);
    expect(await readdir(at('.'))).to.deep.equal(['etc']);
    const hashes = await driver().hashes(NODE, [large.path, 'etc/none']);
    expect([...hashes]).to.deep.equal([
      [large.path, large.sha256],
      ['etc/none', null],
    ]);
  });

  it('replaces nothing where a file cannot be put in place', async () => {
    const before = fileOf('etc/swift/swift.conf', 'before');
    await install([before]);
    await writeFile(at('etc/ringway'), 'a file in the place of a folder');
    const wanted = [fileOf('etc/swift/swift.conf', 'after'), fileOf('etc/ringway/x', 'x')];
    expect(await messageOf(install(wanted))).to.match(/exists|not a directory/i);
    expect(await readFile(at('etc/swift/swift.conf'), 'utf8')).to.equal('before');
    await rm(at('etc/ringway'));
    await mkdir(join(folder(), 'outside'));
    await symlink(join(folder(), 'outside'), at('etc/ringway'));
    expect(await messageOf(install(wanted))).to.equal(
      `etc/ringway is a link that leads to ${join(folder(), 'outside')}`,
    );
    const lie = { ...fileOf('etc/swift/swift.conf', 'after'), sha256: '0'.repeat(64) };
    expect(await messageOf(install([lie]))).to.contain('read back with another content');
    expect(await readFile(at('etc/swift/swift.conf'), 'utf8')).to.equal('before');
    expect(await readdir(at('.'))).to.deep.equal(['etc']);
  });

  it('writes through no link that others put in the place of its own files', async () => {
    const victim = join(folder(), 'victim');
    await writeFile(victim, 'precious');
    await install([fileOf('etc/swift/swift.conf', 'before')]);
    await symlink(victim, at('etc/swift/.ringway-deploy.probe'));
    expect(await install([fileOf('etc/swift/swift.conf', 'after')])).to.equal(1);
    expect(await readFile(victim, 'utf8')).to.equal('precious');
    expect(await readdir(at('etc/swift'))).to.deep.equal(['swift.conf']);
    await mkdir(join(folder(), 'theirs'));
    await symlink(join(folder(), 'theirs'), at('.ringway-deploy'));
    expect(await messageOf(install([fileOf('etc/swift/swift.conf', 'last')]))).to.contain('exists');
    expect(await readdir(join(folder(), 'theirs'))).to.deep.equal([]);
    await rm(at('.ringway-deploy'));
  });

  it('leaves the files of a later run alone where an earlier one ends late', async () => {
    const files = { 'etc/swift/a': 'first', 'etc/swift/b': 'second' };
    /** A run whose last file has not come yet. */
    const begin = async (run: string) => {
      const child = spawn('python3', ['-c', REMOTE_SCRIPT]);
      const [output, ended] = [text(child.stdout), once(child, 'close')];
      const wanted = Object.entries(files).map(([path, content]) => {
        const { mode, sha256: hash } = fileOf(path, content);
        return { path, mode, sha256: hash, size: content.length, owner: {} };
      });
      const rest = { files: wanted, deleted: [], expected: {} };
      const request = { act: 'install', root: at('.'), run, ...rest };
      child.stdin.write(`${JSON.stringify(request)}\n${files['etc/swift/a']}`);
      await until(() => existsSync(at(`.ringway-deploy/${run}/1`)));
      const end = async (rest: string): Promise<unknown> => {
        child.stdin.end(rest);
        await ended;
        return JSON.parse(await output);
      };
      return end;
    };
    const first = await begin('run-1');
    const second = await begin('run-2');
    expect(await first('')).to.have.property('error');
    expect(await second(files['etc/swift/b'])).to.deep.equal({ changed: 2 });
    expect(await readFile(at('etc/swift/b'), 'utf8')).to.equal('second');
    expect(await readdir(at('.'))).to.deep.equal(['etc']);
  });

  it('calls no host whose key is another, or not known, and none that does not answer', async () => {
    const strangers = join(folder(), 'strangers');
    await writeFile(strangers, '');
    const unknown = driver({ knownHostsFile: strangers });
    expect(await messageOf(unknown.hashes(NODE, ['etc']))).to.match(
      /^ssh: .*Host key verification failed/,
    );
    const known = await readFile(sshd.knownHostsFile, 'utf8');
    const { stdout } = await mustRun('cat', [`${sshd.keyFile}.pub`]);
    const key = stdout.split(' ').slice(0, 2).join(' ');
    await writeFile(strangers, `${known.split(' ')[0] ?? ''} ${key}\n`);
    expect(await messageOf(unknown.hashes(NODE, ['etc']))).to.match(/^ssh: .*verification failed/);
    const other = driver({ keyFile: join(folder(), 'ssh d/host-key') });
    expect(await messageOf(other.hashes(NODE, ['etc']))).to.match(/^ssh: .*Permission denied/);
    const closed = driver({ port: 1, knownHostsFile: sshd.knownHostsFile });
    expect(await messageOf(closed.hashes(NODE, ['etc']))).to.match(/^ssh: .*Connection refused/);
    expect(await messageOf(closed.reach(NODE))).to.contain('ECONNREFUSED');
    expect(await messageOf(driver().reach(NODE))).to.equal('none');
  });

  it('reloads services with systemd, and finds out whether they run', async () => {
    const lines = ['systemctl reload-or-restart swift-object', 'systemctl restart memcached'];
    await driver().reload(NODE, lines);
    expect(await calls()).to.equal(
      [
        'reload-or-restart swift-object swift-object-*',
        'is-active swift-object',
        'restart memcached',
        'is-active memcached\n',
      ].join('\n'),
    );
    await writeFile(join(programs, 'down-memcached'), '');
    expect(await messageOf(driver().reload(NODE, lines))).to.equal(
      'systemctl is-active memcached ended with 3: inactive',
    );
    await rm(join(programs, 'down-memcached'));
    const odd = driver().reload(NODE, ['systemctl restart x; reboot']);
    expect(await messageOf(odd)).to.contain('not a command that Deploy runs');
  });

  it('gives files to the group and the user that read them', async () => {
    const groups = (await mustRun('id', ['-Gn'])).stdout.trim().split(' ');
    const group = groups.at(-1) ?? '';
    const own = driver({ swiftGroup: group, gatewayUser: sshd.user });
    const files = [fileOf('etc/swift/swift.conf', 'x'), fileOf('etc/ringway/key', 'y', 0o600)];
    expect(await install(files, [], own)).to.equal(2);
    const { stdout } = await mustRun('stat', ['-c', '%U %G', at('etc/swift/swift.conf')]);
    expect(stdout).to.equal(`${sshd.user} ${group}\n`);
    expect(await install(files, [], own)).to.equal(0);
    const none = driver({ swiftGroup: 'no-such-group' });
    expect(await messageOf(install(files, [], none))).to.contain('no such user or group');
    expect(await readFile(at('etc/swift/swift.conf'), 'utf8')).to.equal('x');
  });

  it('becomes root where it is told to', async () => {
    await install([fileOf('etc/swift/swift.conf', 'x')], [], driver({ sudo: true }));
    expect(await calls()).to.equal('sudo -n python3\n'.repeat(2));
  });

  it('brings a cluster into being, and stops at the first service that does not run', async () => {
    const deploy = await TestDeploy.start(
      folder(),
      {},
      {
        driver: 'ssh',
        files_for: 'folder',
        install_root: join(folder(), 'nodes'),
        ssh_user: sshd.user,
        ssh_port: sshd.port,
        ssh_key_file: sshd.keyFile,
        ssh_known_hosts_file: sshd.knownHostsFile,
        ssh_reload: 'systemd',
        parallel_nodes: 2,
      },
    );
    try {
      await deploy.putSpec(small);
      const run = await deploy.succeed('first');
      expect(run.steps.map(({ state }) => state)).to.deep.equal(Array(8).fill('succeeded'));
      const sums = { cwd: join(folder(), 'nodes/node3') };
      await mustRun('sha256sum', ['-c', '--quiet', 'etc/swift/SHA256SUMS'], sums);
      await writeFile(join(programs, 'down-swift-proxy'), '');
      await deploy.putSpec(otherWorkers);
      const stopped = await deploy.deploy('second');
      expect(stopped.state).to.equal('partial');
      expect(stopped.message).to.match(/^node1: systemctl is-active swift-proxy ended with 3/);
      await rm(join(programs, 'down-swift-proxy'));
      await deploy.succeed('third');
      expect(await readFile(at('etc/swift/proxy-server.conf'), 'utf8')).to.contain('workers = 5\n');
    } finally {
      await deploy.close();
    }
  });
});
