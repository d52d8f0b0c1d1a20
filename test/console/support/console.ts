import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConsoleConfig } from '../../../console/config/load.js';
import { startConsole, type RunningConsole } from '../../../console/server/start.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { startApi, type RunningApi } from '../../swift-api/support/api.js';
import { ConsoleClient } from './client.js';

/** Users of the store in roles of the console; `test:tester2` is none of the store's owners. */
export const ACCOUNTS = [
  { account: 'test', user: 'tester', role: 'operator' },
  { account: 'test', user: 'tester2', role: 'member' },
  { account: 'test2', user: 'tester3', role: 'reader' },
];

export interface TestBed {
  readonly api: RunningApi;
  readonly console: RunningConsole;
  readonly stateDir: string;
  /** Moves the console's clock. */
  readonly clock: { nowMs: number };
  client(): ConsoleClient;
  /** A client that is logged in. */
  login(user?: string, key?: string): Promise<ConsoleClient>;
  close(): Promise<void>;
}

/** A console over the Swift API of an embedded store. */
export async function startTestBed(
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<TestBed> {
  const api = await startApi();
  const stateDir = await mkdtemp(join(tmpdir(), 'ringway-console-'));
  const options = parseConsoleConfig(
    {
      bind: '127.0.0.1:0',
      store_base: api.origin,
      auth_url: `${api.origin}/auth/v1.0`,
      accounts: ACCOUNTS,
      login_max_per_min: 1000,
      state_dir: stateDir,
      ...overrides,
    },
    stateDir,
  );
  const clock = { nowMs: Date.now() };
  const logger = createLogger({ level: 'silent', process: 'console' });
  const running = await startConsole(options, { now: () => clock.nowMs, logger });
  const client = () => new ConsoleClient(running.port);
  return {
    api,
    console: running,
    stateDir,
    clock,
    client,
    async login(user = 'tester', key = 'testing') {
      const one = client();
      const account = user === 'tester3' ? 'test2' : 'test';
      const answer = await one.login({ account, user, key });
      if (answer.status !== 200) throw new Error(`login: ${answer.status} ${answer.text}`);
      return one;
    },
    async close() {
      await running.close();
      await api.close();
      await rm(stateDir, { recursive: true });
    },
  };
}
