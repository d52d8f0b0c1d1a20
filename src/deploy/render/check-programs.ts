import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What a program of Swift's says of a file. */
export interface ProgramCheck {
  readonly program: string;
  readonly target: string;
  /** `skipped`: the program is not installed here. */
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
 */
export async function checkPrograms(
  { rings, configs }: FilesToCheck,
  folder: string,
): Promise<ProgramCheck[]> {
  const builder = await findProgram('swift-ring-builder');
  const config = await findProgram('swift-config');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const place = await mkdtemp(join(folder, 'check-'));
  try {
    const checks: ProgramCheck[] = [];
    for (const { name, file } of rings) checks.push(await checkRing(builder, place, name, file));
    for (const { name, content } of configs) {
      checks.push(await checkConfig(config, place, name, content));
    }
    return checks;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function checkRing(
  program: string | undefined,
  place: string,
  name: string,
  file: Buffer,
): Promise<ProgramCheck> {
  const ring = join(place, `${name}.ring.gz`);
  const own = join(place, `${name}.builder`);
  await writeFile(ring, file);
  return outcome('swift-ring-builder', program, `${name}.ring.gz`, async (path) => {
    await call(path, [ring, 'write_builder']);
    await call(path, [own, 'validate']);
  });
}

async function checkConfig(
  program: string | undefined,
  place: string,
  name: string,
  content: Buffer,
): Promise<ProgramCheck> {
  const file = join(place, 'checked.conf');
  await writeFile(file, content);
  return outcome('swift-config', program, name, (path) => call(path, [file]));
}

async function outcome(
  program: string,
  path: string | undefined,
  target: string,
  check: (path: string) => Promise<unknown>,
): Promise<ProgramCheck> {
  if (path === undefined) {
    return { program, target, state: 'skipped', message: 'it is not installed here' };
  }
  try {
    await check(path);
    return { program, target, state: 'ok', message: '' };
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Partial<Record<string, string>>;
    const said = `${stderr}${stdout}`.trim() || (message ?? '');
    return { program, target, state: 'failed', message: said.slice(-MESSAGE_LENGTH_MAX) };
  }
}

function call(path: string, args: readonly string[]): Promise<unknown> {
  return run(path, [...args], {
    timeout: TIMEOUT_MS,
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
