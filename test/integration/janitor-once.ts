import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Service } from '../support/service.js';

const run = promisify(execFile);

/** Relative to the compiled file: the command of the same build. */
const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));

/**
 * `ringway janitor --once`, beside a service without a janitor of its own: `janitor_interval_ms: 0`.
 * @returns what it wrote
 */
export function janitorOnce(service: Service): Promise<string> {
  return janitor(service, '--once');
}

/** The same, of what it would do. */
export function janitorDryRun(service: Service): Promise<string> {
  return janitor(service, '--dry-run');
}

async function janitor({ dataDir }: Service, mode: '--once' | '--dry-run'): Promise<string> {
  const config = join(dataDir, '..', 'janitor.json');
  await writeFile(config, '{}');
  const args = [MAIN, 'janitor', mode, '--config', config, '--data', dataDir];
  const { stdout } = await run(process.execPath, args);
  return stdout;
}
