import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open, readFile, rename, writeFile, type FileHandle } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { MaybePromise } from '../../src/lib/promises.js';
import {
  DriverError,
  type ClusterNode,
  type NodeDriver,
  type ServiceChange,
  type ServiceStatus,
  type ServiceVerb,
} from './driver.js';
import {
  allProcesses,
  descendantsOf,
  isAlive,
  processInfo,
  runsProgram,
  workOf,
  type ProcessInfo,
} from './processes.js';
import { NODE_ENVIRONMENT } from './shell.js';

type RosterService = ClusterNode['services'][string];

/** Time for a service to end after SIGTERM, and after another signal. */
const TERM_MS = 15_000;
const KILL_MS = 2000;
const POLL_MS = 50;
/**
 * A program that cannot start says so once it has read its files, which takes a server in Python
 * seconds: it has started when it sleeps, and has done nothing, for so long.
 */
const STARTED_MS = 300;
/** One that works on has started too. */
const STARTING_MS_MAX = 15_000;

/**
 * Drives processes of this machine by the roster: for labs, where every node is here. A service is
 * found by its file, and by its command line where the file is missing or old: so it is known after
 * a crash in between its start and the writing of the file.
 */
export class LocalProcs implements NodeDriver {
  constructor(private readonly termMs = TERM_MS) {}

  services(node: ClusterNode): readonly string[] {
    return Object.keys(node.services);
  }

  async status(node: ClusterNode, services: readonly string[]): Promise<ServiceStatus[]> {
    // Reading all processes takes some ten milliseconds: once for all services at most.
    let everything: Promise<ProcessInfo[]> | undefined;
    const all = (): Promise<ProcessInfo[]> => (everything ??= allProcesses());
    return Promise.all(
      services.map(async (name): Promise<ServiceStatus> => {
        const service = node.services[name];
        if (service === undefined) return { name, state: 'absent', pid: null };
        const found = await find(service, all);
        if (found === undefined) return { name, state: 'inactive', pid: null };
        return { name, state: found.isPaused ? 'paused' : 'active', pid: found.pid };
      }),
    );
  }

  async act(node: ClusterNode, name: string, verb: ServiceVerb): Promise<ServiceChange> {
    const service = rosterService(node, name);
    const found = await find(service);
    if (verb === 'start') {
      if (found !== undefined) return { changed: false };
      await start(name, service);
      return { changed: true };
    }
    if (verb === 'stop') {
      if (found !== undefined) await this.#stop(name, found, service);
      return { changed: found !== undefined };
    }
    if (found === undefined) throw new DriverError('failed', `${name} does not run.`);
    const below = descendantsOf(found.pid, await allProcesses());
    if (verb === 'kill_child') {
      const [child] = below;
      if (child === undefined) {
        throw new DriverError('no_children', `${name} has no processes besides its parent.`);
      }
      signal(child.pid, 'SIGKILL');
      return { changed: true };
    }
    const isPause = verb === 'pause';
    for (const { pid } of [found, ...below]) signal(pid, isPause ? 'SIGSTOP' : 'SIGCONT');
    // The kernel takes its time on a busy machine: who asks next is to see what was done.
    const isDone = async () => (await processInfo(found.pid))?.isPaused === isPause;
    if (!(await comesTrue(isDone, KILL_MS))) {
      throw new DriverError('failed', `${name} does not ${isPause ? 'pause' : 'go on'}.`);
    }
    return { changed: found.isPaused !== isPause };
  }

  async once(
    node: ClusterNode,
    name: string,
    extra: readonly string[],
    timeoutMs: number,
  ): Promise<void> {
    const { argv, env } = rosterService(node, name);
    const [program = '', ...args] = argv;
    const child = spawn(program, [...args, 'once', ...extra], {
      cwd: '/',
      detached: true,
      env: { ...NODE_ENVIRONMENT, ...env },
      stdio: 'ignore',
    });
    const timer = setTimeout(() => {
      if (child.pid !== undefined) signal(-child.pid, 'SIGKILL');
    }, timeoutMs);
    try {
      const [code] = (await once(child, 'exit')) as [number | null];
      if (code === 0) return;
      const why = code === null ? 'took too long' : `ended with ${code}`;
      throw new DriverError('failed', `${name} on ${node.name} ${why}.`);
    } catch (error) {
      if (error instanceof DriverError) throw error;
      throw new DriverError('failed', `${name} on ${node.name} cannot be started.`);
    } finally {
      clearTimeout(timer);
    }
  }

  async #stop(name: string, found: ProcessInfo, service: RosterService): Promise<void> {
    const below = descendantsOf(found.pid, await allProcesses());
    // A group of its own holds the workers too, also those that are started meanwhile.
    const target = found.group === found.pid ? -found.pid : found.pid;
    signal(target, 'SIGTERM');
    // A process that is paused hears of it only when it goes on.
    signal(target, 'SIGCONT');
    const haveEnded = () => ![found, ...below].some(isAlive);
    if (await comesTrue(haveEnded, this.termMs)) return;
    const still = await processInfo(found.pid);
    // Its id may be another's by now: what runs there must be the same program.
    if (still !== undefined && !runsProgram(still.argv, service.argv)) return;
    for (const one of [found, ...below]) if (isAlive(one)) signal(one.pid, 'SIGKILL');
    if (await comesTrue(haveEnded, KILL_MS)) return;
    throw new DriverError('failed', `${name} does not end.`);
  }
}

function rosterService(node: ClusterNode, name: string): RosterService {
  const service = Object.hasOwn(node.services, name) ? node.services[name] : undefined;
  if (service !== undefined) return service;
  throw new DriverError('unknown_service', `The node ${node.name} has no service ${name}.`);
}

async function find(
  { pid_file: file, argv }: RosterService,
  all: () => Promise<ProcessInfo[]> = allProcesses,
): Promise<ProcessInfo | undefined> {
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  const noted = pid > 0 ? await processInfo(pid) : undefined;
  if (noted !== undefined && runsProgram(noted.argv, argv)) return noted;
  const found = (await all()).filter((one) => runsProgram(one.argv, argv));
  // A parent and its workers have the same command line.
  return found.find(({ parent }) => !found.some((one) => one.pid === parent));
}

/** Others may write to the folder, and put a link there. */
const WRITE_NO_LINK =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

async function start(name: string, service: RosterService): Promise<void> {
  const { argv, env, pid_file: pidFile, log_file: logFile } = service;
  const [program = '', ...args] = argv;
  let log: FileHandle | undefined;
  try {
    log = logFile === undefined ? undefined : await open(logFile, 'a', 0o600);
    const output = log?.fd ?? 'ignore';
    const child = spawn(program, args, {
      cwd: '/',
      // A session of its own: it outlives what starts it.
      detached: true,
      env: { ...NODE_ENVIRONMENT, ...env },
      stdio: ['ignore', output, output],
    });
    await once(child, 'spawn');
    await writeFile(`${pidFile}.new`, `${child.pid}\n`, { mode: 0o600, flag: WRITE_NO_LINK });
    await rename(`${pidFile}.new`, pidFile);
    await lives(child);
    child.unref();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DriverError('failed', `${name} cannot be started: ${why}`);
  } finally {
    await log?.close();
  }
}

async function lives(child: ChildProcess): Promise<void> {
  const waiting = new AbortController();
  const { signal: ending } = waiting;
  const end = once(child, 'exit', { signal: ending })
    .then(() => 'ended')
    .catch(() => 'waiting');
  const settled = settles(child.pid ?? 0, ending);
  const isThere = child.exitCode === null && child.signalCode === null;
  const state = isThere ? await Promise.race([end, settled]) : 'ended';
  waiting.abort();
  if (state === 'ended') throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`);
}

/** Waits until a process sleeps, and has taken no CPU for a while. */
async function settles(pid: number, ending: AbortSignal): Promise<string> {
  const until = performance.now() + STARTING_MS_MAX;
  let before = workOf(pid);
  let sinceMs = performance.now();
  while (performance.now() < until && !ending.aborted) {
    await delay(POLL_MS);
    const now = workOf(pid);
    const isIdle = now?.sleeps === true && now.ticks === before?.ticks;
    if (!isIdle) sinceMs = performance.now();
    else if (performance.now() - sinceMs >= STARTED_MS) return 'lives';
    before = now;
  }
  return 'lives';
}

/** Waits until something is so. @returns false when that takes too long */
async function comesTrue(isSo: () => MaybePromise<boolean>, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > until) return false;
    await delay(POLL_MS);
  }
  return true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw new DriverError('failed', 'A process of the service cannot be signalled.');
  }
}
