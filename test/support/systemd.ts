import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { eventually } from './eventually.js';
import { program, type Need } from './needs.js';

/** The needs of a systemd of one's own. */
export const SYSTEMD_NEEDS: readonly Need[] = [
  ...['systemd-run', 'unshare', 'nsenter', 'findmnt'].map(program),
  { name: 'root', isMet: () => process.getuid?.() === 0 },
];

/** Targets that services are ordered after, and nothing that would change this machine. */
const TARGETS = ['ringway-test', 'sysinit', 'basic', 'shutdown'];
const UNITS = '/usr/lib/systemd/system';

/**
 * In namespaces of its own: file systems that hide this machine's units, and control groups below one
 * of its own, whose name is the argument. It never ends by itself.
 */
const INIT = `set -eu
umount -R /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
for folder in /run ${UNITS} /etc/systemd/system /usr/lib/systemd/system-generators; do
  [ ! -d "$folder" ] || mount -t tmpfs tmpfs "$folder"
done
for name in ${TARGETS.join(' ')}; do
  printf '[Unit]\\nDefaultDependencies=no\\n' > "${UNITS}/$name.target"
done
export container=ringway
exec /lib/systemd/systemd --system --unit=ringway-test.target --log-target=null
`;
const START = `set -eu
mkdir "$1"
echo $$ > "$1/cgroup.procs"
exec unshare --pid --fork --kill-child --mount --mount-proc --cgroup --ipc /bin/sh -c "$2"
`;
/** A guard: it takes a second on a machine that has nothing else to do. */
const START_MS = 60_000;

/** A systemd that runs as PID 1 of namespaces of its own, with the files of this machine. */
export class Systemd {
  private constructor(
    private readonly child: ChildProcess,
    private readonly cgroup: string,
    private readonly pid: number,
  ) {}

  /** @throws Error where the machine does not let it run */
  static async start(): Promise<Systemd> {
    const found = spawnSync('findmnt', ['-n', '-o', 'TARGET', '-t', 'cgroup2'], { encoding: 'utf8' }); // prettier-ignore
    const [root = ''] = found.stdout.split('\n');
    if (root === '') throw new Error('there are no control groups of version 2');
    const cgroup = join(root, `ringway-test-${process.pid}-${Date.now()}`);
    const child = spawn('/bin/sh', ['-c', START, 'ringway', cgroup, INIT], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)));
    const read = (): number => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${errors}`);
      const [pid = '0'] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' '); // prettier-ignore
      return Number(pid);
    };
    try {
      const isUp = async () => {
        const pid = read();
        return pid > 0 && (await inside(pid, ['systemctl', 'is-active', '-q', 'ringway-test.target'])).code === 0; // prettier-ignore
      };
      await eventually(isUp, (up) => up, START_MS);
      return new Systemd(child, cgroup, read());
    } catch (error) {
      child.kill('SIGKILL');
      removeGroups(cgroup);
      throw error;
    }
  }

  /** Runs a program among its processes and files. */
  run(...argv: readonly string[]): Promise<{ code: number | null; stdout: string }> {
    return inside(this.pid, argv);
  }

  /** Makes a unit known. */
  async write(name: string, text: string): Promise<void> {
    await this.run('/bin/sh', '-c', 'printf %s "$2" > "$1"', 'ringway', `${UNITS}/${name}`, text);
    await this.run('systemctl', 'daemon-reload');
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'close');
    // All of its processes end with the first.
    process.kill(this.pid, 'SIGKILL');
    await ended;
    await eventually(
      () => Promise.resolve(removeGroups(this.cgroup)),
      (isGone) => isGone,
    );
  }
}

function inside(pid: number, argv: readonly string[]) {
  const child = spawn('nsenter', ['-t', String(pid), '-p', '-m', '-C', '-i', '--', ...argv], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += String(chunk)));
  return new Promise<{ code: number | null; stdout: string }>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout });
    });
  });
}

/** @returns whether all are gone: one with processes stays */
function removeGroups(folder: string): boolean {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !removeGroups(join(folder, entry.name))) return false;
    }
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
