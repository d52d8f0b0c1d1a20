import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { fileSystemOf } from '../../bench/measure/machine.js';
import { figuresOf, machineBusyMs, processTree } from '../../bench/measure/processes.js';
import { ServerMeter } from '../../bench/measure/server-meter.js';

/** Burns CPU for so many milliseconds of its own time when it is told to. */
const BURNER = `
process.on('message', (ms) => {
  const start = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(start);
    if (user + system >= ms * 1000) break;
  }
  process.send('done');
});
process.send('ready');
`;

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
      await once(child, 'message');
      const { cpuMs, apartCpuMs, rssBytes, anonymousBytes } = meter.stop();
      // The kernel shows hundredths of a second.
      expect(cpuMs.burner).to.be.within(280, 400);
      expect(machineBusyMs() - busyBefore).to.be.at.least(250);
      expect(apartCpuMs).to.equal(0);
      expect(rssBytes).to.be.greaterThan(anonymousBytes);
      expect(anonymousBytes).to.be.greaterThan(0);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
    expect(figuresOf(child.pid!)).to.equal(undefined);
  });

  it('knows the file system of the innermost mount', () => {
    const mounts = '/dev/a / ext4 rw\ntmpfs /tmp tmpfs rw\n/dev/b /tmp/disk xfs rw\n';
    const paths = ['/var/x', '/tmp', '/tmp/x', '/tmpfile', '/tmp/disk/x'];
    expect(paths.map((path) => fileSystemOf(path, mounts))).to.deep.equal([
      ...['ext4', 'tmpfs', 'tmpfs', 'ext4', 'xfs'],
    ]);
  });
});
