import type { CallContext } from '../backend/backend.js';
import type { Clock } from './clock.js';
import {
  NEW_RECORD,
  type JanitorRecord,
  type RecordStore,
  type StoredRecord,
} from './record-store.js';

/** The fields of the record that a holder may change. */
export type RecordChanges = Partial<Pick<JanitorRecord, 'started_at' | 'finished_at' | 'cursor'>>;

export type Acquired =
  | { readonly outcome: 'held'; readonly record: JanitorRecord }
  /** Another janitor holds it, or was faster; ask again after this time. */
  | { readonly outcome: 'busy'; readonly waitMs: number };

/** The work has to end at once: another janitor may be doing it by now. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * The right to be the only janitor of an account: a record in the store that its holder keeps
 * changing. No clocks are compared: a janitor that wants the lease watches the record, and takes it
 * when it has not changed for the lease's own length (as Kubernetes' leader election does). The
 * holder stops by itself when it could not renew for that long.
 *
 * A process that sleeps through the end of its lease may still have a call on its way. So the lease
 * saves work, and each delete carries the preconditions that make it safe.
 */
export class Lease {
  #record: JanitorRecord | undefined;
  #etag: string | undefined;
  #validUntil = -Infinity;
  #watched: { readonly etag: string | undefined; readonly since: number } | undefined;

  constructor(
    private readonly store: RecordStore,
    private readonly holder: string,
    private readonly leaseMs: number,
    private readonly clock: Clock,
  ) {}

  /** Makes one attempt; what it saw of another janitor's lease counts for the next. */
  async acquire(call: CallContext): Promise<Acquired> {
    const before = this.clock.monotonic();
    const found = await this.store.read(call);
    const waitMs = this.#remaining(found);
    if (waitMs > 0) return { outcome: 'busy', waitMs };
    const record = { ...(found.record ?? NEW_RECORD), lease_ms: this.leaseMs };
    if (!(await this.#write(call, record, found.etag, before))) {
      return { outcome: 'busy', waitMs: this.leaseMs };
    }
    return { outcome: 'held', record };
  }

  get held(): boolean {
    return this.clock.monotonic() < this.#validUntil;
  }

  /** @throws LeaseLostError */
  assertHeld(): void {
    if (!this.held) throw new LeaseLostError('the lease was not renewed in time');
  }

  /** Keeps the lease for its length from now, and saves how far the work is. @throws LeaseLostError */
  async renew(call: CallContext, changes: RecordChanges): Promise<void> {
    const before = this.clock.monotonic();
    if (!(await this.#write(call, { ...this.#own(), ...changes }, this.#etag, before))) {
      this.#validUntil = -Infinity;
      throw new LeaseLostError('another janitor has taken the lease');
    }
  }

  /**
   * Releases the lease at once. A lease that is lost already belongs to another janitor, and is
   * left alone.
   */
  async release(call: CallContext, changes: RecordChanges): Promise<void> {
    const record = { ...this.#own(), ...changes };
    this.#validUntil = -Infinity;
    await this.store.write(call, next(record, null), this.#etag);
  }

  /** How long the record has to stay as it is until the lease of its holder is over. */
  #remaining({ record, etag }: StoredRecord): number {
    if (record === undefined) return 0;
    if (record.holder === null) return 0;
    const now = this.clock.monotonic();
    const watched = this.#watched?.etag === etag ? this.#watched : undefined;
    this.#watched = watched ?? { etag, since: now };
    return this.#watched.since + record.lease_ms - now;
  }

  async #write(
    call: CallContext,
    record: JanitorRecord,
    etag: string | undefined,
    before: number,
  ): Promise<boolean> {
    const written = next(record, this.holder);
    const newEtag = await this.store.write(call, written, etag);
    if (newEtag === undefined) return false;
    this.#record = written;
    this.#etag = newEtag;
    // The time before the write counts: others may have seen the record any time since.
    this.#validUntil = before + this.leaseMs;
    return true;
  }

  #own(): JanitorRecord {
    if (this.#record === undefined) throw new Error('the lease was never held');
    return this.#record;
  }
}

function next(record: JanitorRecord, holder: string | null): JanitorRecord {
  return { ...record, holder, sequence: record.sequence + 1 };
}
