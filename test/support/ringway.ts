import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Service } from './service.js';

const MAIN = fileURLToPath(new URL('../../supervisor/main.js', import.meta.url));

export interface CommandResult {
  readonly code: number | null;
  readonly stderr: string;
}

/** A command for a running service, which it finds by the data directory. */
export async function ringway(service: Service, command: string): Promise<CommandResult> {
  const child = spawn(process.execPath, [MAIN, command, '--data', service.dataDir], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}
