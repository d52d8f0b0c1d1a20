import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a program that tells of the clock may take; they answer in some milliseconds. */
const TIMEOUT_MS = 2_000;
const OUTPUT_BYTES_MAX = 16 * 1024;

/** Runs a program; gives what it wrote to its standard output. */
export type RunProgram = (name: string, args: readonly string[]) => Promise<string>;

const execute = promisify(execFile);

/**
 * Without a shell, in English, and never for longer than {@link TIMEOUT_MS}.
 * @throws Error when it cannot be run, fails, takes too long or writes too much
 */
export const runProgram: RunProgram = async (name, args) => {
  const { stdout } = await execute(name, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: OUTPUT_BYTES_MAX,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  return stdout;
};
