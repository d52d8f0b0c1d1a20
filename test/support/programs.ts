import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/**
 * Programs that tests use as their users do. Debian's own comes first: what else is on the PATH may
 * be a version manager's stand-in without the libraries that Debian installs. Servers lie in sbin,
 * which a user's PATH may not have. An absolute path is taken as it is.
 *
 * @returns the absolute path, or undefined when the program is not installed
 */
export function findProgram(name: string): string | undefined {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => resolve(folder, name)).find((path) => existsSync(path));
}

/** Whether Debian's Python, or else the one on the PATH, can import a module. */
export function hasPythonModule(module: string): boolean {
  const python = findProgram('python3');
  return python !== undefined && spawnSync(python, ['-c', `import ${module}`]).status === 0;
}

export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** The whole environment but PATH and a UTF-8 locale: nothing of the machine's leaks in. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
}

/** Runs a program to its end, whatever its exit code. @throws Error when it is not installed */
export function runProgram(
  name: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramResult> {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  const child = spawn(path, args, {
    cwd: options.cwd,
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', ...options.env },
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.end(options.input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({
        code: code ?? -1,
        stdout: Buffer.concat(stdout).toString('utf8'),
        stderr: Buffer.concat(stderr).toString('utf8'),
      });
    });
  });
}

/** Like {@link runProgram}. */
export async function mustRun(
  name: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramResult> {
  return succeeded(name, args, await runProgram(name, args, options));
}

/** @throws Error when a program has failed */
export function succeeded(
  name: string,
  args: readonly string[],
  result: ProgramResult,
): ProgramResult {
  if (result.code !== 0) {
    const output = `${result.stderr}\n${result.stdout}`.trim().slice(-4000);
    throw new Error(`${name} ${args.join(' ')} ended with ${result.code}:\n${output}`);
  }
  return result;
}
