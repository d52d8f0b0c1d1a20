import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';
import { ROOT } from './paths.mjs';

/** Path of a file inside an installed package, to run with this very Node. */
export function packageFile(path) {
  return `${ROOT}/node_modules/${path}`;
}

/**
 * Runs a command in the checkout and waits for its end. A SIGINT or SIGTERM to us is handed to it.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: Record<string, string | undefined>, capture?: boolean, timeoutMs?: number }} [options]
 *   `capture` returns stdout and stderr as `output` instead of showing them
 * @returns {Promise<{ code: number, signal: string | null, output: string, timedOut: boolean }>}
 *   `code` is 128 + n after a signal
 */
export function run(command, args, { env = {}, capture = false, timeoutMs } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
    });
    const forward = (signal) => child.kill(signal);
    process.on('SIGINT', forward).on('SIGTERM', forward);

    let timedOut = false;
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            child.kill('SIGKILL');
          }, timeoutMs);

    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));

    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      process.off('SIGINT', forward).off('SIGTERM', forward);
      const output = Buffer.concat(chunks).toString('utf8');
      resolve({ code: code ?? 128 + constants.signals[signal], signal, output, timedOut });
    });
  });
}
