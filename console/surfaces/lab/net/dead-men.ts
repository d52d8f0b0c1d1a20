import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ApiError } from '../../../server/api-error.js';
import { isAlive, markOf, type ProcessMark } from '../../../nodes/processes.js';
import { NODE_ENVIRONMENT } from '../../../nodes/shell.js';

const PROGRAM = fileURLToPath(new URL('dead-man-program.js', import.meta.url));

/**
 * Arguments: node, the program, the plan, the second since the machine was started at which it is
 * due. It waits as long as the plan is there, by a clock that cannot be set; a shell takes a
 * megabyte for that, where Node would take fifty.
 */
const WAIT = `while [ -e "$3" ]; do
  read -r up idle < /proc/uptime
  up=\${up%%.*}
  if [ "$up" -ge "$4" ]; then
    "$1" "$2" "$3" && exit 0
    set -- "$1" "$2" "$3" $((up + 5))
  fi
  sleep 1
done
`;

/** Two, so that one may be killed; they act apart, after the console had its chance. */
const DELAYS_S = [2, 4] as const;

/** One dead-man: a process of ours, or a unit of systemd. */
interface DeadMan {
  readonly mark: ProcessMark | undefined;
  readonly unit: string | undefined;
}

export interface DeadMenOptions {
  /** Where systemd says that it manages this machine. */
  readonly systemdFolder?: string;
  readonly systemdRun?: string;
  readonly systemctl?: string;
  /** Which unit this process belongs to (cgroups(7)). */
  readonly cgroupFile?: string;
}

/** A dead-man that is killed is started again by the service manager, as often as that happens. */
const UNIT_PROPERTIES = ['Restart=on-failure', 'RestartSec=1', 'StartLimitIntervalSec=0'];

/**
 * Processes that take a fault back when its time is over, whatever has become of the console: where
 * there is systemd as units of their own, since a service's end takes all of its processes with it,
 * otherwise detached.
 */
export class DeadMen {
  readonly #men: (DeadMan | undefined)[] = DELAYS_S.map(() => undefined);
  readonly #options: Required<DeadMenOptions>;

  constructor(
    private readonly planFile: string,
    private readonly deadlineS: number,
    options: DeadMenOptions = {},
  ) {
    this.#options = {
      systemdFolder: '/run/systemd/system',
      systemdRun: 'systemd-run',
      systemctl: 'systemctl',
      cgroupFile: '/proc/self/cgroup',
      ...options,
    };
  }

  /** The process ids of those that are processes of ours. */
  get pids(): number[] {
    return this.#men.flatMap((man) => (man?.mark === undefined ? [] : [man.mark.pid]));
  }

  /**
   * Starts those that do not live.
   * @returns whether there were any
   * @throws Error when one cannot be started; ApiError unsupported_here where it would end with the
   *   service that the console runs in
   */
  async ensure(): Promise<boolean> {
    let changed = false;
    for (const [at, delayS] of DELAYS_S.entries()) {
      const man = this.#men[at];
      if (man !== undefined && (await this.#lives(man))) continue;
      this.#men[at] = await this.#start(at, delayS);
      changed = true;
    }
    return changed;
  }

  async #start(at: number, delayS: number): Promise<DeadMan> {
    const leftS = this.deadlineS - Date.now() / 1000;
    const due = Math.ceil(uptime() + leftS) + delayS;
    const script = ['-c', WAIT, 'ringway-dead-man'];
    const argv = [...script, process.execPath, PROGRAM, this.planFile, String(due)];
    const unit = existsSync(this.#options.systemdFolder)
      ? await this.#startUnit(at, argv)
      : undefined;
    if (unit !== undefined) return { unit, mark: undefined };
    await this.#refuseInService();
    const child = spawn('/bin/sh', argv, {
      cwd: '/',
      detached: true,
      env: NODE_ENVIRONMENT,
      stdio: 'ignore',
    });
    await once(child, 'spawn');
    child.unref();
    const mark = markOf(child.pid ?? 0);
    if (mark === undefined) throw new Error('a dead-man has ended at once');
    return { mark, unit: undefined };
  }

  /** @returns undefined where systemd does not take it, such as from a user without the right */
  async #startUnit(at: number, argv: readonly string[]): Promise<string | undefined> {
    const id = /([0-9a-f-]{36})/.exec(this.planFile)?.[1] ?? 'fault';
    const unit = `ringway-fault-${id}-${at}-${Date.now()}.service`;
    const properties = UNIT_PROPERTIES.map((one) => `--property=${one}`);
    const options = ['--quiet', '--collect', ...properties, `--unit=${unit}`, '--', '/bin/sh'];
    const { systemdRun } = this.#options;
    // The service manager puts variables of its own in for `${…}`, and takes `$$` for a dollar.
    const literal = argv.map((one) => one.replaceAll('$', () => '$$'));
    return run(systemdRun, [...options, ...literal]).then(
      () => unit,
      () => undefined,
    );
  }

  /** The end of a service ends all of its processes, detached ones too. */
  async #refuseInService(): Promise<void> {
    const { systemdFolder, cgroupFile } = this.#options;
    const groups = await readFile(cgroupFile, 'utf8').catch(() => '');
    if (!existsSync(systemdFolder) || !/\.service$/m.test(groups)) return;
    throw new ApiError(
      'unsupported_here',
      'The console runs as a systemd service and cannot start other units, so nothing would revert the fault if the service stopped. No fault was injected.',
      { needs: 'the right to start units (systemd-run)' },
    );
  }

  async #lives({ mark, unit }: DeadMan): Promise<boolean> {
    if (mark !== undefined) return isAlive(mark);
    return run(this.#options.systemctl, ['is-active', '--quiet', unit ?? '']).then(
      () => true,
      () => false,
    );
  }
}

function run(program: string, argv: readonly string[]): Promise<unknown> {
  return promisify(execFile)(program, argv, { timeout: 10_000 });
}
