import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { codeOf } from './errors.mjs';
import { ROOT } from './paths.mjs';

/**
 * Path of a file inside an installed package, to run with this very Node.
 *
 * @param {string} path
 */
export function packageFile(path) {
  return `${ROOT}/node_modules/${path}`;
}

/** A third of what another process gets. At 10 it was a tenth: services did not start in time. */
const BACKGROUND_PRIORITY = 5;

/** A terminal that closes sends the last one to this process alone, since a stage has its own session. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** The signal that this process was sent, if any. */
let /** @type {NodeJS.Signals | null} */ stoppedBy = null;

/**
 * Runs a command in the checkout and waits for its end. A signal to us to end is handed to it,
 * and whatever would be run after it ends at once, as by that signal.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{
 *   env?: Record<string, string | undefined>,
 *   capture?: boolean,
 *   label?: string | undefined,
 *   isInBackground?: boolean,
 *   timeoutMs?: number,
 * }} [options]
 *   `capture` returns stdout and stderr as `output` instead of showing them; `label` begins each
 *   line that is shown; in the background, it and what it starts have a low priority;
 *   after `timeoutMs`, it is killed with what it has started
 * @returns {Promise<{ code: number, signal: string | null, output: string, timedOut: boolean }>}
 *   `code` is 128 + n after a signal
 */
export function run(command, args, options = {}) {
  const { env = {}, capture = false, label, isInBackground = false, timeoutMs } = options;
  if (stoppedBy !== null) {
    const code = 128 + constants.signals[stoppedBy];
    return Promise.resolve({ code, signal: stoppedBy, output: '', timedOut: false });
  }
  const output = capture || label !== undefined ? 'pipe' : 'inherit';
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
      // A group of its own, so that what it has started ends with it.
      detached: timeoutMs !== undefined,
    });
    if (isInBackground && child.pid !== undefined) lowerPriority(child.pid);
    const kill = (/** @type {NodeJS.Signals} */ signal) => {
      if (timeoutMs === undefined || child.pid === undefined) child.kill(signal);
      else killGroup(child.pid, signal);
    };
    const forward = (/** @type {NodeJS.Signals} */ signal) => {
      stoppedBy = signal;
      kill(signal);
    };
    for (const name of SIGNALS) process.on(name, forward);

    let timedOut = false;
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            kill('SIGKILL');
          }, timeoutMs);

    /** @type {Buffer[]} */
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (capture) stream?.on('data', (chunk) => chunks.push(chunk));
      else if (stream !== null) showLabelled(stream, label);
    }

    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      for (const name of SIGNALS) process.off(name, forward);
      const output = Buffer.concat(chunks).toString('utf8');
      resolve({ code: code ?? 128 + signalNumber(signal), signal, output, timedOut });
    });
  });
}

/** @param {number} pid of the first process of a session */
function lowerPriority(pid) {
  setPriority(pid, BACKGROUND_PRIORITY);
  // Where Linux shares the processors among sessions, it heeds this alone between two of them.
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(BACKGROUND_PRIORITY));
  } catch {
    // Without such sharing, or where it may not be changed, the run is only slower.
  }
}

/** @param {number} pid its first process @param {NodeJS.Signals} signal */
function killGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** @param {NodeJS.Signals | null} signal */
function signalNumber(signal) {
  return signal === null ? 0 : constants.signals[signal];
}

/**
 * @param {import('node:stream').Readable} stream
 * @param {string | undefined} label
 */
function showLabelled(stream, label) {
  createInterface({ input: stream }).on('line', (line) => {
    console.log(line === '' ? '' : `${label} | ${line}`);
  });
}
