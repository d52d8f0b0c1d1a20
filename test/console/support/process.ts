import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConsoleClient } from './client.js';
import { ACCOUNTS } from './console.js';
import type { TestStore } from './store.js';

const MAIN = fileURLToPath(new URL('../../../console/main.js', import.meta.url));

/** A console as an operator starts it: a process of its own, whose memory is its own. */
export interface ConsoleProcess {
  readonly port: number;
  readonly pid: number;
  login(): Promise<ConsoleClient>;
  /** Bytes in memory now, and at most since `resetPeak`. */
  memory(): { readonly now: number; readonly peak: number };
  resetPeak(): void;
  /** Ends it, by SIGKILL when it shall have no time for anything. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export async function startConsoleProcess(
  store: TestStore,
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<ConsoleProcess> {
  const stateDir = await mkdtemp(join(tmpdir(), 'ringway-console-process-'));
  const config = join(stateDir, 'console.json');
  const keys = {
    bind: '127.0.0.1:0',
    store_base: store.origin,
    auth_url: store.authUrl,
    accounts: ACCOUNTS,
    login_max_per_min: 1000,
    state_dir: stateDir,
    ...overrides,
  };
  await writeFile(config, JSON.stringify(keys));
  const child = spawn(process.execPath, [MAIN, config], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const port = await portOf(child.stdout);
  const pid = child.pid ?? 0;
  return {
    port,
    pid,
    async login() {
      const client = new ConsoleClient(port, { storeOrigin: store.origin, stateDir });
      await client.login({ account: 'test', user: 'tester', key: 'testing' });
      return client;
    },
    memory: () => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const bytes = (name: string) =>
        Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
      return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
    },
    // See proc(5), clear_refs.
    resetPeak: () => {
      writeFileSync(`/proc/${pid}/clear_refs`, '5');
    },
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
      await rm(stateDir, { recursive: true });
    },
  };
}

async function portOf(output: NodeJS.ReadableStream): Promise<number> {
  let text = '';
  for await (const chunk of output) {
    text += String(chunk);
    const port = /listening on port (\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`the console did not start: ${text}`);
}
