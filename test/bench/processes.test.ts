import { fork, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { fileSystemOf } from '../../bench/measure/machine.js';
import {
  figuresOf,
  machineBusyMs,
  processTree,
  proportionalBytesOf,
} from '../../bench/measure/processes.js';
import { ServerMeter } from '../../bench/measure/server-meter.js';

/** Burns CPU for so many milliseconds of its own time when it is told to, and says how many. */
const BURNER = `
process.on('message', (ms) => {
  const start = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(start);
    if (user + system >= ms * 1000) break;
  }
  const { user, system } = process.cpuUsage(start);
  process.send((user + system) / 1000);
});
process.send('ready');
`;

/** Of Node's program, which is larger, at least so much is in memory. */
const SHARED_BYTES_MIN = 8 * 1024 * 1024;

describe('bench: processes', () => {
  it('counts the CPU of a child, and its memory', async () => {
    const args = ['--eval', BURNER];
    const child = fork('-', { execArgv: args, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    try {
      await once(child, 'message');
      const pid = child.pid!;
      expect(processTree([process.pid])).to.include.members([process.pid, pid]);
      const meter = new ServerMeter([{ name: 'burner', pids: [pid] }]);
      const busyBefore = machineBusyMs();
      child.send(300);
      const [burntMs] = (await once(child, 'message')) as [number];
      const { cpuMs, apartCpuMs, rssBytes, anonymousBytes } = meter.stop();
      // The kernel shows hundredths of a second; the child's other threads have work of their own.
      expect(cpuMs.burner).to.be.within(burntMs - 20, burntMs + 200);
      expect(machineBusyMs() - busyBefore).to.be.at.least(burntMs - 50);
      expect(apartCpuMs).to.equal(0);
      expect(rssBytes).to.be.greaterThan(anonymousBytes);
      expect(anonymousBytes).to.be.greaterThan(0);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
    expect(figuresOf(child.pid!)).to.equal(undefined);
  });

  it('counts once what processes share', async () => {
    const options = {
      execArgv: ['--eval', BURNER],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    };
    const children = [1, 2].map(() => fork('-', options as ForkOptions));
    try {
      await Promise.all(children.map((child) => once(child, 'message')));
      const pids = children.map((child) => child.pid!);
      const group = { name: 'sleepers', pids };
      const { rssBytes, pssBytes, anonymousBytes } = new ServerMeter([group]).stop();
      // Beyond their own pages they have those of Node's program, and share them.
      expect(pssBytes).to.be.within(anonymousBytes, rssBytes - SHARED_BYTES_MIN);
      for (const pid of pids) {
        expect(proportionalBytesOf(pid)).to.be.within(1, figuresOf(pid)!.rssBytes);
      }
    } finally {
      for (const child of children) {
        child.kill();
        await once(child, 'exit');
      }
    }
    expect(proportionalBytesOf(children[0]!.pid!)).to.equal(undefined);
  });

  it('knows the file system of the innermost mount', () => {
    const mounts = '/dev/a / ext4 rw\ntmpfs /tmp tmpfs rw\n/dev/b /tmp/disk xfs rw\n';
    const paths = ['/var/x', '/tmp', '/tmp/x', '/tmpfile', '/tmp/disk/x'];
    expect(paths.map((path) => fileSystemOf(path, mounts))).to.deep.equal([
      ...['ext4', 'tmpfs', 'tmpfs', 'ext4', 'xfs'],
    ]);
  });
});
