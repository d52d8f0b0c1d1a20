import { parseConsoleConfig } from '../../../console/config/load.js';
import { startConsole, type RunningConsole } from '../../../console/server/start.js';
import type { Surface } from '../../../console/server/surface.js';
import { SURFACES } from '../../../console/surfaces/registry.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { ConsoleClient } from './client.js';
import type { Secrets } from './leaks.js';
import { openTestStore, type TestStore } from './store.js';

/** Users of the store in roles of the console; `test:tester2` is none of the store's owners. */
export const ACCOUNTS = [
  { account: 'test', user: 'tester', role: 'operator' },
  { account: 'test', user: 'tester2', role: 'member' },
  { account: 'test2', user: 'tester3', role: 'reader' },
];

/** `await using` closes it at the end of a block. */
export interface TestBed extends AsyncDisposable {
  readonly store: TestStore;
  /** Secrets that no answer may show. */
  readonly secrets: Secrets;
  readonly console: RunningConsole;
  readonly stateDir: string;
  /** Moves the console's clock. */
  readonly clock: { nowMs: number };
  client(): ConsoleClient;
  /** A client that is logged in. */
  login(user?: string, key?: string): Promise<ConsoleClient>;
  /** Ends the console, and starts another one with the same configuration at the same port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A clock for a test bed that goes by itself, for what asks and draws in real time. */
export const REAL_CLOCK = {
  get nowMs() {
    return Date.now();
  },
};

/**
 * A console over a store of the stack under test. Containers of a cluster outlive it: their names
 * are to be unique.
 *
 * @param clock by default one that stands still until a test moves it
 */
export async function startTestBed(
  overrides: Readonly<Record<string, unknown>> = {},
  clock: TestBed['clock'] = { nowMs: Date.now() },
  surfaces: readonly Surface[] = SURFACES,
): Promise<TestBed> {
  const store = await openTestStore();
  const stateDir = await makeTempFolder('console');
  const closeStore = async () => {
    await store.close();
    await removeFolder(stateDir);
  };
  try {
    const options = parseConsoleConfig(
      {
        bind: '127.0.0.1:0',
        store_base: store.origin,
        auth_url: store.authUrl,
        accounts: ACCOUNTS,
        login_max_per_min: 1000,
        state_dir: stateDir,
        ...overrides,
      },
      stateDir,
    );
    const logger = createLogger({ level: 'silent', process: 'console' });
    const start = (port = 0) =>
      startConsole({ ...options, bind: { ...options.bind, port } }, surfaces, {
        now: () => clock.nowMs,
        logger,
        pause: () => Promise.resolve(),
      });
    return await bedOf(store, start, stateDir, clock, closeStore);
  } catch (error) {
    // Nobody gets to close what a test never got: it would keep the run from its end.
    await closeStore();
    throw error;
  }
}

async function bedOf(
  store: TestStore,
  start: (port?: number) => Promise<RunningConsole>,
  stateDir: string,
  clock: TestBed['clock'],
  closeStore: () => Promise<void>,
): Promise<TestBed> {
  let running = await start();
  const secrets = { storeOrigin: store.origin, stateDir };
  const client = () => new ConsoleClient(running.port, secrets);
  const bed: TestBed = {
    store,
    secrets,
    get console() {
      return running;
    },
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
    async restart() {
      const { port } = running;
      await running.close();
      running = await start(port);
    },
    async close() {
      await running.close();
      await closeStore();
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
  return bed;
}
