import type { ClockHealth } from '../clock/index.js';
import type { Roster } from '../config/credentials.js';
import type { FilledOptions } from '../config/options.js';
import { janitorClock, janitorDeps } from '../janitor/assemble.js';
import { Janitor } from '../janitor/janitor.js';
import { LockWatch } from '../janitor/lock-watch.js';
import { JanitorAccounts } from './janitor-accounts.js';
import { openStore } from './open-store.js';
import { runChild, type ChildService } from './child.js';
import type { ChildInit, HealthCheck } from './protocol.js';
import { createLogger, type Logger } from '../telemetry/logger.js';
import { JanitorMetrics } from '../telemetry/janitor-metrics.js';
import type { Backend } from '../backend/backend.js';
import type { Observer } from '../janitor/account-janitor.js';

/**
 * The janitor process: everything that happens to what is stored without a request. The supervisor
 * forks one; of all hosts that share a store, one at a time works on an account.
 */
runChild(startJanitor);

async function startJanitor({ options, credentials }: ChildInit): Promise<ChildService> {
  const log = createLogger({ level: options.logLevel, process: 'janitor', buffered: true });
  const metrics = new JanitorMetrics();
  const opened = await openStore(options, credentials);
  const locks = watchLocks(options, opened.backend, log);
  const store = locks ?? opened.backend;
  const clock = await janitorClock(options, (why) => {
    log.warn({ clock: why }, 'the clock cannot be trusted');
  });
  const parts = await janitorDeps(options, store, observerOf(metrics, log), clock);
  const accounts = await JanitorAccounts.open(options, credentials);
  const janitor = new Janitor(parts, accounts.names);
  metrics.watchLastRun(() => janitor.lastRunAt / 1000);
  const replaceRoster = (roster: Roster): void => {
    opened.replaceRoster(roster);
    accounts.replaceRoster(roster);
    janitor.replaceAccounts(accounts.names);
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    const { pace, nextRequestId } = parts;
    const watching = accounts.watch(signal, (problem) => {
      if (problem !== undefined) log.warn({ problem }, 'accounts may be left out');
      janitor.replaceAccounts(accounts.names);
    });
    await locks?.search(accounts.names, { pace, requestId: nextRequestId(), signal });
    await janitor.run(signal);
    await accounts.close();
    await watching;
  };
  const checks = () => [
    { name: 'pass', ...janitor.state },
    ...accounts.checks(),
    ...(locks?.checks() ?? []),
  ];
  return new JanitorService(run, checks, replaceRoster, store, clock, metrics);
}

/** Undefined where the clock is checked: then there is nothing to warn of. */
function watchLocks(options: FilledOptions, store: Backend, log: Logger): LockWatch | undefined {
  if (options.wormClockMaxOffsetMs !== 0) return undefined;
  return new LockWatch(store, (message, { account, container: bucket }) => {
    log.warn({ account, bucket }, message);
  });
}

class JanitorService implements ChildService {
  readonly #ending = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly run: (signal: AbortSignal) => Promise<void>,
    private readonly checks: () => readonly HealthCheck[],
    private readonly replaceRoster: (roster: Roster) => void,
    private readonly store: Backend,
    private readonly clock: ClockHealth,
    private readonly metrics: JanitorMetrics,
  ) {}

  begin(): void {
    this.#running = this.run(this.#ending.signal);
    // A defect: the supervisor starts another process, and says so.
    this.#running.catch((error: unknown) => {
      queueMicrotask(() => {
        throw error;
      });
    });
  }

  snapshot() {
    return this.metrics.snapshot();
  }

  probe(): Promise<readonly HealthCheck[]> {
    return Promise.resolve(this.checks());
  }

  /** It serves none. */
  requestsInProgress(): number {
    return 0;
  }

  replaceCredentials(roster: Roster): void {
    this.replaceRoster(roster);
  }

  /** Saves how far it is, and lets others in. */
  async drain(): Promise<void> {
    this.#ending.abort(new Error('the janitor is being stopped'));
    await this.#running;
  }

  close(): Promise<void> {
    this.clock.close();
    return this.store.close();
  }
}

function observerOf(metrics: JanitorMetrics, log: Logger): Observer {
  return {
    report: (action, outcome, error) => {
      metrics.action(action.action, outcome);
      if (outcome === 'failed') log.warn({ ...action, err: error }, 'action failed');
      else log.debug({ ...action, outcome }, 'action');
    },
    looked: (count) => {
      metrics.looked(count);
    },
    unreadable: (account, container, error) => {
      metrics.failed('container');
      log.error({ account, container, err: error }, 'a container was left out');
    },
    interrupted: (account, error) => {
      metrics.failed('pass');
      log.warn({ account, err: error }, 'a pass was interrupted, and will go on later');
    },
  };
}
