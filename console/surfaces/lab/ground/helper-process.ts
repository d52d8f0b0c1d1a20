import { spawn } from 'node:child_process';
import { Semaphore } from '../../../../src/lib/semaphore.js';
import { ApiError } from '../../../server/api-error.js';
import { checkProgram, HELPER_ENVIRONMENT } from '../../../server/helper-program.js';
import { busy } from './refusals.js';

export interface HelperOutput {
  readonly code: number | null;
  readonly stdout: string;
}

export interface HelperLimits {
  /** After which the program, and all that it started, is killed. */
  readonly timeoutMs: number;
  readonly outputBytesMax?: number;
  /** Aborted when the console ends: a group of its own would outlive it. */
  readonly signal: AbortSignal;
}

const OUTPUT_BYTES_MAX = 256 * 1024;
/** One at a time would let one operator hold up the other; more would take the machine. */
const turns = new Semaphore({ capacity: 2, queueMax: 16, waitMsMax: 30_000 });

/**
 * Runs a program of the operator's, without a shell.
 *
 * @param program - an absolute path from the configuration
 * @param args - the caller puts `--` before whatever comes from a user
 * @throws ApiError unsupported_here for a program that may not run; busy, also when the console
 *   ends; upstream_timeout; upstream_error where it prints more than it may
 */
export async function runHelper(
  program: string,
  args: readonly string[],
  limits: HelperLimits,
): Promise<HelperOutput> {
  await checkProgram(program);
  if ((await turns.enter(1)) !== undefined) {
    throw busy('Too many helper programs are running. Try again in a few seconds.', 5);
  }
  try {
    if (limits.signal.aborted) throw consoleEnds();
    return await run(program, args, limits);
  } finally {
    turns.leave(1);
  }
}

function run(
  program: string,
  args: readonly string[],
  { timeoutMs, outputBytesMax = OUTPUT_BYTES_MAX, signal }: HelperLimits,
): Promise<HelperOutput> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: HELPER_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'ignore'],
      // A group of its own, so that what it started can be killed with it.
      detached: true,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let problem: ApiError | undefined;
    const kill = (why: ApiError): void => {
      problem ??= why;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    };
    const timer = setTimeout(() => {
      kill(new ApiError('upstream_timeout', 'The helper program timed out.'));
    }, timeoutMs);
    const end = (): void => {
      kill(consoleEnds());
    };
    signal.addEventListener('abort', end, { once: true });
    const settled = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= outputBytesMax) chunks.push(chunk);
      else kill(new ApiError('upstream_error', 'The helper program produced too much output.'));
    });
    child.once('error', () => {
      settled();
      reject(new ApiError('unsupported_here', 'Could not start the helper program.'));
    });
    child.once('close', (code) => {
      settled();
      if (problem !== undefined) reject(problem);
      else resolve({ code, stdout: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

function consoleEnds(): ApiError {
  return new ApiError('busy', 'The console is shutting down.');
}
