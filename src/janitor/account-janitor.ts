import type { Backend, CallContext } from '../backend/backend.js';
import { BackendError } from '../backend/errors.js';
import { cancelledBy, type Cancellation } from '../lib/cancellation.js';
import { runPass } from './account-pass.js';
import type { ClockState } from '../clock/reading.js';
import { VersionedKeys } from '../s3/versions/versioned-keys.js';
import type { Clock } from './clock.js';
import { ColdActions } from './cold-actions.js';
import type { ColdSettings } from './cold-walk.js';
import { RealRun } from './executors.js';
import { RateLimitedBackend, type RateLimiter } from './rate-limit.js';
import { Lease, LeaseLostError } from './lease.js';
import type { PassSettings, Report } from './pass-context.js';
import { Quarantine } from './quarantine.js';
import { type Cursor, type JanitorRecord, recordStore, type RecordStore } from './record-store.js';
import { VersionActions } from './version-actions.js';

export interface JanitorSettings extends PassSettings {
  /** Milliseconds from the start of one pass to the start of the next. */
  readonly intervalMs: number;
  readonly leaseMs: number;
  readonly segmentGraceMs: number;
  readonly versionIndexBytesMax: number;
}

/** Callbacks for the caller. */
export interface Observer {
  readonly report: Report;
  readonly looked: (count: number) => void;
  readonly unreadable: (account: string, container: string, error: unknown) => void;
  /** The pass ended before its end; the next one goes on where it was. */
  readonly interrupted: (account: string, error: unknown) => void;
}

export interface JanitorDeps {
  readonly backend: Backend;
  readonly settings: JanitorSettings;
  /** Undefined without a cold backend. */
  readonly cold?: ColdSettings | undefined;
  readonly pace: RateLimiter;
  readonly clock: Clock;
  /** Whether this node's clock can tell when a retention ends. */
  readonly clockState: () => ClockState;
  readonly observer: Observer;
  /** Names this process among all that share the store. */
  readonly holder: string;
  readonly nextRequestId: () => string;
}

export type Visit =
  | { readonly outcome: 'finished'; readonly finishedAt: number }
  /** Nothing to do before; `finishedAt` is of the last pass of any janitor, null when none was. */
  | { readonly outcome: 'early'; readonly waitMs: number; readonly finishedAt: number | null }
  /** Another janitor is at work. */
  | { readonly outcome: 'busy'; readonly waitMs: number }
  /** The store failed, or the lease was lost. */
  | { readonly outcome: 'interrupted' };

type CancellableCall = CallContext & { readonly cancellation: Cancellation };

/** Uploads whose parts wait for their grace period: some 2 MiB at most. */
const QUARANTINE_MAX = 10_000;
/** Renewals in the length of a lease: two may fail. */
const RENEWALS_PER_LEASE = 3;

/** The janitor of one account: a pass when one is due, under the account's lease. */
export class AccountJanitor {
  readonly #store: RecordStore;
  readonly #lease: Lease;

  constructor(
    private readonly deps: JanitorDeps,
    private readonly account: string,
  ) {
    const { backend, settings, clock, holder } = deps;
    this.#store = recordStore(backend, account);
    this.#lease = new Lease(this.#store, holder, settings.leaseMs, clock);
  }

  /**
   * @param mode - `due` runs a pass when it is time, `now` in any case
   * @throws the reason of the signal; BackendError when not even the record can be read
   */
  async visit(signal: AbortSignal, mode: 'due' | 'now'): Promise<Visit> {
    const call = { requestId: this.deps.nextRequestId(), cancellation: cancelledBy(signal) };
    const { settings, backend } = this.deps;
    const { containers } = await backend.listContainers(call, this.account, { limit: 1 });
    // An unused account keeps no record of the janitor.
    if (containers.length === 0) {
      return { outcome: 'early', waitMs: settings.intervalMs, finishedAt: null };
    }
    if (mode === 'due') {
      const { record } = await this.#store.read(call);
      const waitMs = this.#untilDue(record);
      // Another janitor may still work on an unfinished pass: the lease decides.
      if (waitMs > 0) return { outcome: 'early', waitMs, finishedAt: finishOf(record) };
    }
    const acquired = await this.#lease.acquire(call);
    if (acquired.outcome === 'busy') return acquired;
    return this.#work(call, acquired.record, mode);
  }

  #untilDue(record: JanitorRecord | undefined): number {
    const startedAt = record?.started_at ?? null;
    if (startedAt === null || record?.cursor !== null) return 0;
    const { intervalMs } = this.deps.settings;
    const waitMs = startedAt + intervalMs - this.deps.clock.now();
    // A record from a clock that was far ahead and is right again: its time is ignored.
    return waitMs > 2 * intervalMs ? 0 : waitMs;
  }

  async #work(call: CancellableCall, record: JanitorRecord, mode: 'due' | 'now'): Promise<Visit> {
    const waitMs = this.#untilDue(record);
    if (mode === 'due' && waitMs > 0) {
      // Another janitor was faster, and has finished meanwhile.
      await this.#lease.release({ requestId: call.requestId }, {});
      return { outcome: 'early', waitMs, finishedAt: finishOf(record) };
    }
    const { clock, observer } = this.deps;
    const progress = new Progress(record, clock.now());
    try {
      await this.#pass(call, progress);
      const finishedAt = clock.now();
      await this.#release(call, { ...progress.changes, cursor: null, finished_at: finishedAt });
      return { outcome: 'finished', finishedAt };
    } catch (error) {
      if (this.#lease.held) await this.#release(call, progress.changes);
      call.cancellation.signal.throwIfAborted();
      if (!(error instanceof BackendError) && !(error instanceof LeaseLostError)) throw error;
      observer.interrupted(this.account, error);
      return { outcome: 'interrupted' };
    }
  }

  /** Also after an abort: the next janitor need not wait for the lease to end. */
  async #release({ requestId }: CallContext, changes: Progress['changes']): Promise<void> {
    await this.#lease.release({ requestId }, changes).catch((error: unknown) => {
      this.deps.observer.interrupted(this.account, error);
    });
  }

  /** The pass and the renewals of its lease, each of which ends with the other. */
  async #pass(
    { requestId, cancellation: outer }: CancellableCall,
    progress: Progress,
  ): Promise<void> {
    const ending = new AbortController();
    const signal = AbortSignal.any([outer.signal, ending.signal]);
    const call = { requestId, cancellation: cancelledBy(signal) };
    await this.#lease.renew({ requestId }, progress.changes);
    const renewals = this.#keepLease(call, progress).catch((error: unknown) => {
      ending.abort(error);
    });
    try {
      await this.#walk(call, progress);
    } catch (error) {
      // When the lease was lost, calls fail by their signal: its reason says more.
      ending.signal.throwIfAborted();
      throw error;
    } finally {
      ending.abort(new Error('the pass has ended'));
      await renewals;
    }
  }

  async #keepLease(call: CancellableCall, progress: Progress): Promise<void> {
    const { clock, settings } = this.deps;
    for (;;) {
      await clock.sleep(settings.leaseMs / RENEWALS_PER_LEASE, call.cancellation.signal);
      try {
        // The signal is left out: half a renewal would leave a lease that cannot be released.
        await this.#lease.renew({ requestId: call.requestId }, progress.changes);
      } catch (error) {
        // A store that is away for a moment: there is time for another try.
        if (!(error instanceof BackendError) || !this.#lease.held) throw error;
      }
    }
  }

  async #walk(call: CancellableCall, progress: Progress): Promise<void> {
    const { backend, pace, clock, clockState, settings, observer, cold } = this.deps;
    const paced = new RateLimitedBackend(backend, async () => {
      await pace.take(call.cancellation.signal);
      this.#lease.assertHeld();
    });
    const quarantine = new Quarantine({
      graceMs: settings.segmentGraceMs,
      waitingMax: QUARANTINE_MAX,
      clock,
      signal: call.cancellation.signal,
    });
    const now = (): number => clock.now();
    const indexBytesMax = settings.versionIndexBytesMax;
    const versions = new VersionedKeys({ backend: paced, indexBytesMax, now });
    const pass = {
      backend: paced,
      call,
      account: this.account,
      executor: new RealRun(
        paced,
        call,
        quarantine,
        observer.report,
        new ColdActions(paced, call, now, cold),
        new VersionActions({ backend: paced, call, versions, now, clockState }),
      ),
      settings,
      versions,
      cold,
      now,
      looked: observer.looked,
      unreadable: (container: string, error: unknown) => {
        observer.unreadable(this.account, container, error);
      },
    };
    await runPass(pass, progress.cursor, (cursor) => {
      progress.cursor = cursor;
    });
  }
}

/** How far the pass is. */
class Progress {
  cursor: Cursor | null;
  readonly #startedAt: number;

  constructor({ cursor, started_at: startedAt }: JanitorRecord, now: number) {
    this.cursor = cursor;
    this.#startedAt = cursor === null || startedAt === null ? now : startedAt;
  }

  get changes(): { started_at: number; cursor: Cursor | null; finished_at?: number } {
    // A pass under way is told from one that is done by its cursor.
    const cursor = this.cursor ?? { container: '', marker: '' };
    return { started_at: this.#startedAt, cursor };
  }
}

function finishOf(record: JanitorRecord | undefined): number | null {
  return record?.finished_at ?? null;
}
