import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The verdict of a program of Swift's on a file. */
export interface ProgramCheck {
  readonly program: string;
  readonly target: string;
  /** `skipped`: the program is not installed here, or took too long. */
  readonly state: 'ok' | 'failed' | 'skipped';
  readonly message: string;
}

/** Files to check; contents are without secrets. */
export interface FilesToCheck {
  readonly rings: readonly { readonly name: string; readonly file: Buffer }[];
  /** Configurations, with the name that a report has for each. */
  readonly configs: readonly { readonly name: string; readonly content: Buffer }[];
}

const FOLDERS = ['/usr/bin', '/usr/local/bin'];
const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES_MAX = 256 * 1024;
const MESSAGE_LENGTH_MAX = 500;
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', PYTHONNOUSERSITE: '1' };
const run = promisify(execFile);

/**
 * Has Swift's own programs read the files, where they are installed: `swift-ring-builder` every
 * ring, `swift-config` every configuration.
 *
 * @param folder - where a folder for the files may be made, and is removed
 * @param timeoutMs - for each call of a program
 */
export async function checkPrograms(
  { rings, configs }: FilesToCheck,
  folder: string,
  timeoutMs = TIMEOUT_MS,
): Promise<ProgramCheck[]> {
  const builder = await findProgram('swift-ring-builder');
  const config = await findProgram('swift-config');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const place = await mkdtemp(join(folder, 'check-'));
  try {
    const checks: ProgramCheck[] = [];
    for (const { name, file } of rings)
      checks.push(await checkRing({ path: builder, timeoutMs }, place, name, file));
    checks.push(...(await checkConfigs({ path: config, timeoutMs }, place, configs)));
    return checks;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Undefined paths are those of programs that are not installed. */
interface Program {
  readonly path: string | undefined;
  readonly timeoutMs: number;
}

async function checkRing(
  program: Program,
  place: string,
  name: string,
  file: Buffer,
): Promise<ProgramCheck> {
  const ring = join(place, `${name}.ring.gz`);
  const own = join(place, `${name}.builder`);
  await writeFile(ring, file);
  return outcome('swift-ring-builder', program, `${name}.ring.gz`, async (run) => {
    await run([ring, 'write_builder']);
    await run([own, 'validate']);
  });
}

/** All in one call, since most of its time is Python's start; one by one to find what is refused. */
async function checkConfigs(
  program: Program,
  place: string,
  configs: FilesToCheck['configs'],
): Promise<ProgramCheck[]> {
  const files: { readonly name: string; readonly file: string }[] = [];
  for (const [number, { name, content }] of configs.entries()) {
    const file = join(place, `${number}.conf`);
    await writeFile(file, content);
    files.push({ name, file });
  }
  const check = (name: string, paths: readonly string[]) =>
    outcome('swift-config', program, name, (run) => run(paths));
  if (files.length === 0) return [];
  const all = await check(
    '',
    files.map(({ file }) => file),
  );
  if (all.state !== 'failed') return files.map(({ name }) => ({ ...all, target: name }));
  const each: ProgramCheck[] = [];
  for (const { name, file } of files) each.push(await check(name, [file]));
  return each;
}

async function outcome(
  program: string,
  { path, timeoutMs }: Program,
  target: string,
  check: (run: (args: readonly string[]) => Promise<unknown>) => Promise<unknown>,
): Promise<ProgramCheck> {
  if (path === undefined) {
    return { program, target, state: 'skipped', message: 'it is not installed here' };
  }
  try {
    await check((args) => call(path, args, timeoutMs));
    return { program, target, state: 'ok', message: '' };
  } catch (error) {
    const { stdout = '', stderr = '', message = '', killed } = error as Failed;
    if (killed === true) {
      return { program, target, state: 'skipped', message: `it took more than ${timeoutMs} ms` };
    }
    const said = `${stderr}${stdout}`.trim() || message;
    return { program, target, state: 'failed', message: said.slice(-MESSAGE_LENGTH_MAX) };
  }
}

/** The fields that execFile's error of a failed call has. */
interface Failed {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly message?: string;
  readonly killed?: boolean;
}

function call(path: string, args: readonly string[], timeoutMs: number): Promise<unknown> {
  return run(path, [...args], {
    timeout: timeoutMs,
    maxBuffer: OUTPUT_BYTES_MAX,
    killSignal: 'SIGKILL',
    env: ENVIRONMENT,
  });
}

async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of FOLDERS) {
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // In the next folder, perhaps.
    }
  }
  return undefined;
}
