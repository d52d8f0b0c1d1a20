import type { Backend } from '../backend/backend.js';
import type { FilledOptions } from '../config/options.js';
import { cancelledBy } from '../lib/cancellation.js';
import type { ClockHealth, ClockState } from '../clock/index.js';
import { AccountJanitor, type Observer } from '../janitor/account-janitor.js';
import { runPass } from '../janitor/account-pass.js';
import { renderAction, type ActionOutcome, type JanitorAction } from '../janitor/actions.js';
import {
  janitorClock,
  janitorCold,
  janitorPace,
  janitorDeps,
  janitorSettings,
} from '../janitor/assemble.js';
import { SYSTEM_CLOCK } from '../janitor/clock.js';
import { DryRun } from '../janitor/executors.js';
import { LockWatch } from '../janitor/lock-watch.js';
import { RateLimitedBackend } from '../janitor/rate-limit.js';
import { VersionActions } from '../janitor/version-actions.js';
import { JanitorAccounts } from './janitor-accounts.js';
import { openStore } from './open-store.js';
import { ActionReport, CommandError, runCommand, withCauses } from './command-process.js';
import type { JanitorCommandInit } from './janitor-command-protocol.js';
import { VersionedKeys } from '../s3/versions/versioned-keys.js';
import { nextRequestId } from '../telemetry/request-id.js';

/**
 * `ringway janitor`: goes through all accounts once, beside a service that may be running, and
 * writes a line of JSON for each action and one for the summary. A dry run takes no lease and
 * changes nothing.
 */
runCommand(main);

async function main(init: JanitorCommandInit, signal: AbortSignal): Promise<void> {
  const { backend } = await openStore(init.options, init.credentials);
  const store = watchLocks(init.options, backend);
  const clock = await janitorClock(init.options, (why) => {
    process.stderr.write(`ringway: the clock cannot be trusted: ${why}\n`);
  });
  const summary = new Summary(init.mode === 'dry-run');
  const accounts = await JanitorAccounts.ask(init.options, init.credentials);
  if (accounts.problem !== undefined) {
    process.stderr.write(`ringway: accounts may be left out: ${accounts.problem}\n`);
  }
  try {
    for (const account of accounts.names) {
      const { options, mode } = init;
      const pass = { options, store, clock, account, summary, signal };
      if (mode === 'dry-run') await dryRun(pass);
      else await runOnce(pass);
    }
  } finally {
    clock.close();
    await store.close();
  }
  summary.print();
  if (summary.failed > 0) {
    throw new CommandError('incomplete', `${summary.failed} actions or containers failed`);
  }
  await summary.output.flushed();
}

/** The service warns of locks beside an unchecked clock only where it runs a janitor itself. */
function watchLocks(options: FilledOptions, store: Backend): Backend {
  if (options.wormClockMaxOffsetMs !== 0) return store;
  return new LockWatch(store, (message, { account, container }) => {
    process.stderr.write(`ringway: ${account}/${container}: ${message}\n`);
  });
}

/** One pass over an account. */
interface CommandPass {
  readonly options: FilledOptions;
  readonly store: Backend;
  readonly clock: ClockHealth;
  readonly account: string;
  readonly summary: Summary;
  /** Says when the command is to stop. */
  readonly signal: AbortSignal;
}

async function dryRun(command: CommandPass): Promise<void> {
  const { options, store, clock, account, summary, signal } = command;
  const pace = janitorPace(options);
  const backend = new RateLimitedBackend(store, () => pace.take(signal));
  const call = { requestId: nextRequestId(), cancellation: cancelledBy(signal) };
  const now = (): number => SYSTEM_CLOCK.now();
  const versions = new VersionedKeys({ backend, indexBytesMax: options.versionIndexBytesMax, now });
  const clockState = (): ClockState => clock.state();
  const pass = {
    backend,
    call,
    account,
    executor: new DryRun(
      summary.observer.report,
      new VersionActions({ backend, call, versions, now, clockState }),
    ),
    settings: janitorSettings(options),
    versions,
    cold: await janitorCold(options),
    now,
    looked: summary.observer.looked,
    unreadable: (container: string, error: unknown) => {
      summary.observer.unreadable(account, container, error);
    },
  };
  await runPass(pass, null, () => undefined);
}

async function runOnce(command: CommandPass): Promise<void> {
  const { options, store, clock, account, summary, signal } = command;
  const parts = await janitorDeps(options, store, summary.observer, clock);
  const janitor = new AccountJanitor(parts, account);
  let visit = await janitor.visit(signal, 'now');
  if (visit.outcome === 'busy') {
    // The lease of a janitor that was killed has expired after this wait; the lease of a working
    // one has not.
    await SYSTEM_CLOCK.sleep(visit.waitMs, signal);
    visit = await janitor.visit(signal, 'now');
  }
  if (visit.outcome === 'busy') {
    throw new CommandError('busy', `another janitor is at work in ${account}`);
  }
  if (visit.outcome === 'interrupted') {
    throw new CommandError('incomplete', `the pass over ${account} was interrupted`);
  }
}

/** Counts what is reported, and prints it. */
class Summary extends ActionReport {
  #looked = 0;

  constructor(private readonly isDry: boolean) {
    super();
  }

  readonly observer: Observer = {
    report: (action: JanitorAction, outcome: ActionOutcome, error?: unknown) => {
      this.count(action.action, outcome);
      const why = error === undefined ? undefined : withCauses(error);
      this.output.write(`${renderAction(action, outcome, why)}\n`);
    },
    looked: (count: number) => {
      this.#looked += count;
    },
    unreadable: (account: string, container: string, error: unknown) => {
      this.failed += 1;
      process.stderr.write(`ringway: ${account}/${container} was left out: ${withCauses(error)}\n`);
    },
    interrupted: (account: string, error: unknown) => {
      process.stderr.write(`ringway: ${account}: ${withCauses(error)}\n`);
    },
  };

  print(): void {
    this.summary({ dry_run: this.isDry, entries: this.#looked, actions: this.counts });
  }
}
