import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../dev/lib/errors.mjs';

/**
 * A process of a lab is one that carries the lab's id, and the name of its service, in its
 * environment. The kernel keeps that for as long as the process lives, so it is a record that
 * cannot go stale: it holds after a kill -9 of the parent, after a reboot, when the process id was
 * given to another, and for workers whose parent died.
 */
const MARK = 'RINGWAY_SWIFT_LAB_PROCESS';

const POLL_MS = 20;
const TERM_LIMIT_MS = 2000;

/** @typedef {{ pid: number, service: string, isPaused: boolean, isLeader: boolean }} LabProcess */

/**
 * @param {string} id of the lab
 * @returns {LabProcess[]} all that live
 */
export function labProcesses(id) {
  const wanted = Buffer.from(`${MARK}=${id}/`);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const found = inspect(Number(pid), wanted);
      return found === undefined ? [] : [found];
    });
}

/**
 * @param {number} pid
 * @param {Buffer} wanted what the environment holds
 * @returns {LabProcess | undefined}
 */
function inspect(pid, wanted) {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`);
    const start = environment.indexOf(wanted);
    if (start === -1 || (start > 0 && environment[start - 1] !== 0)) return undefined;
    const end = environment.indexOf(0, start);
    const service = environment.toString('utf8', start + wanted.length, end);
    // `pid (name) state ppid pgrp …`; a name may hold blanks and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, service, isPaused: state === 'T', isLeader: Number(group) === pid };
  } catch (error) {
    // Another user's, or it has ended by now.
    if (['EACCES', 'EPERM', 'ENOENT', 'ESRCH'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/**
 * The environment that marks a process, and all that it starts, as the lab's.
 *
 * @param {string} id of the lab
 * @param {string} service
 */
export function marked(id, service) {
  return { [MARK]: `${id}/${service}` };
}

/**
 * Starts a service that outlives us, in a process group of its own.
 *
 * @param {string} id of the lab
 * @param {import('./services.mjs').Service} service
 * @returns {{ ended: Promise<never> }} `ended` rejects when it ends while we wait for it
 */
export function spawnService(id, service) {
  const log = openSync(service.log, 'a', 0o600);
  const child = spawn(service.command, service.args, {
    cwd: '/',
    detached: true,
    env: { ...process.env, ...service.env, ...marked(id, service.name) },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  if (service.pidFile !== undefined && child.pid !== undefined) {
    writeFileSync(service.pidFile, `${child.pid}\n`, { mode: 0o600 });
  }
  /** @type {Promise<never>} */
  const ended = new Promise((_resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(new Error(`${service.name} ended with ${code ?? signal}`));
    });
  });
  // Whether anybody waits for it is up to the caller.
  ended.catch(() => undefined);
  return { ended };
}

/** @param {readonly LabProcess[]} processes @param {NodeJS.Signals} signal */
export function signalAll(processes, signal) {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error;
    }
  }
}

/**
 * Ends processes of a lab: with SIGTERM, and with SIGKILL those that do not care.
 *
 * @param {string} id
 * @param {(process: LabProcess) => boolean} isWanted
 * @param {{ force?: boolean }} [options] `force` begins with SIGKILL
 */
export async function endProcesses(id, isWanted, { force = false } = {}) {
  const find = () => labProcesses(id).filter(isWanted);
  const killAt = Date.now() + (force ? 0 : TERM_LIMIT_MS);
  let remaining = find();
  if (!force) signalAll(remaining, 'SIGTERM');
  // A process that is paused takes its SIGTERM only when it goes on.
  signalAll(remaining, 'SIGCONT');
  while (remaining.length > 0) {
    if (Date.now() >= killAt) signalAll(remaining, 'SIGKILL');
    await delay(POLL_MS);
    remaining = find();
  }
}
