import type { FilledOptions } from '../config/options.js';
import { janitorClock, janitorDeps } from '../janitor/assemble.js';
import { Janitor } from '../janitor/janitor.js';
import { LockWatch } from '../janitor/lock-watch.js';
import { JanitorAccounts } from './janitor-accounts.js';
import { openStore } from './open-store.js';
import { runChild, type ChildService } from './child.js';
import type { ChildInit } from './protocol.js';
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
  const ending = new AbortController();
  const { signal } = ending;
  const run = async (): Promise<void> => {
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
  let running = Promise.resolve();
  return {
    begin: () => {
      running = run();
      // A defect: the supervisor starts another process, and says so.
      running.catch((error: unknown) => {
        queueMicrotask(() => {
          throw error;
        });
      });
    },
    snapshot: () => metrics.snapshot(),
    probe: () =>
      Promise.resolve([
        { name: 'pass', ...janitor.state },
        ...accounts.checks(),
        ...(locks?.checks() ?? []),
      ]),
    replaceCredentials: (roster) => {
      opened.replaceRoster(roster);
      accounts.replaceRoster(roster);
      janitor.replaceAccounts(accounts.names);
    },
    /** Saves how far it is, and lets others in. */
    drain: async () => {
      ending.abort(new Error('the janitor is being stopped'));
      await running;
    },
    close: () => {
      clock.close();
      return store.close();
    },
  };
}

/** Undefined where the clock is checked: then there is nothing to warn of. */
function watchLocks(options: FilledOptions, store: Backend, log: Logger): LockWatch | undefined {
  if (options.wormClockMaxOffsetMs !== 0) return undefined;
  return new LockWatch(store, (message, { account, container: bucket }) => {
    log.warn({ account, bucket }, message);
  });
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
