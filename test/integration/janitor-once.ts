import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { ProgramResult } from '../support/programs.js';
import type { Service } from '../support/service.js';

/** Relative to the compiled file: the command of the same build. */
const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));

/** Runs a command of `ringway` to its end, whatever its exit code. */
export function runRingway(...args: readonly string[]): Promise<ProgramResult> {
  return new Promise((resolve) => {
    // Not the program of that name on the PATH, which may be another version.
    const child = execFile(process.execPath, [MAIN, ...args], (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

/** A line of what a command tells of its work. */
export type Line = Readonly<Record<string, unknown>>;

/** In the order of what they are about, and the summary last. */
export function linesOf({ stdout }: ProgramResult): Line[] {
  const lines = stdout.trimEnd().split('\n');
  const summary = lines.pop() ?? '';
  return [...lines.sort(), summary].map((line) => JSON.parse(line) as Line);
}

/**
 * `ringway janitor --once`, beside a service without a janitor of its own: `janitor_interval_ms: 0`.
 * @returns what it wrote
 */
export function janitorOnce(service: Service, config: object = {}): Promise<ProgramResult> {
  return janitor(service, '--once', config);
}

/** The same, of what it would do. */
export function janitorDryRun(service: Service, config: object = {}): Promise<ProgramResult> {
  return janitor(service, '--dry-run', config);
}

async function janitor({ dataDir }: Service, mode: string, config: object): Promise<ProgramResult> {
  const file = join(dataDir, '..', 'janitor.json');
  await writeFile(file, JSON.stringify(config));
  const result = await runRingway('janitor', mode, '--config', file, '--data', dataDir);
  expect(result.code, result.stderr + result.stdout).to.equal(0);
  return result;
}
