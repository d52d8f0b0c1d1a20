import { BackendError } from '../errors.js';
import type { ContainerIds } from './container-ids.js';
import { asBackendError, commitFailure } from './lmdb-error.js';
import { commitBegins, commitEnds } from './sudden-end.js';
import type { Tables } from './tables.js';
import { WriteTransaction } from './write-transaction.js';

/** One step of a transaction: see {@link WriteTransaction} for what it may do. */
export type WriteOperation<T> = (transaction: WriteTransaction) => T;

interface Waiting {
  readonly operation: WriteOperation<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  settle: () => void;
}

/** A transaction takes no more operations after this: the others wait for the next one. */
const LOOP_BUDGET_MS = 1;
/** LMDB has its write lock sooner, unless the process that has it is stopped or hangs. */
const BEGIN_LIMIT_MS = 30_000;

/**
 * Group commit. One LMDB write transaction of this process is under way at a time; what arrives
 * meanwhile shares the next one, and its sync.
 *
 *   run() ──► queue ──► [gate] ──► [write lock, on lmdb's thread] ──► operations, on this loop
 *                                                                         │
 *   promises ◄── settled together ◄── [gate free] ◄── pages, fdatasync, meta (O_DSYNC), on lmdb's thread
 *
 * No promise settles, not even one with an error, before the transaction is on disk: an operation
 * may have seen what another one of the same transaction wrote.
 */
export class CommitQueue {
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failed: BackendError | undefined;

  constructor(
    private readonly tables: Tables,
    private readonly ids: ContainerIds,
    private readonly freeBytes: () => Promise<number>,
    private readonly onSync: ((seconds: number, batch: number) => void) | undefined,
    private readonly beginLimitMs = BEGIN_LIMIT_MS,
  ) {}

  /**
   * Resolves with what the operation returned, when its transaction is on disk.
   * @throws what the operation threw; BackendError StorageFull, Unavailable when the commit failed
   */
  run<T>(operation: WriteOperation<T>): Promise<T> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        operation,
        resolve: resolve as (value: unknown) => void,
        reject,
        settle: unsettled,
      });
      this.#running ??= this.#drain();
    });
  }

  /** True after an uncertain commit: nothing can be written any more. */
  get failed(): boolean {
    return this.#failed !== undefined;
  }

  /** Resolves when nothing is queued or under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #drain(): Promise<void> {
    // Gathers what the same turn of the loop brings.
    await Promise.resolve();
    while (this.#queue.length > 0 && this.#failed === undefined) await this.#commit();
    for (const { reject } of this.#queue.splice(0)) reject(this.#failed);
    this.#running = undefined;
  }

  async #commit(): Promise<void> {
    const { gate } = this.tables;
    try {
      const waiting = gate.enter();
      if (waiting !== undefined) await waiting;
    } catch (error) {
      // Nothing was begun: nothing is uncertain.
      for (const { reject } of this.#queue.splice(0)) reject(error);
      return;
    }
    try {
      await this.#transact();
    } finally {
      gate.leave();
    }
  }

  async #transact(): Promise<void> {
    const started = performance.now();
    let batch: Waiting[] = [];
    try {
      await this.#begun((isGivenUp) => {
        if (!isGivenUp()) batch = this.#runOperations();
      });
    } catch (rejection) {
      // Nothing ran when the transaction could not even begin: then all that wait have failed.
      await this.#fail(batch.length > 0 ? batch : this.#queue.splice(0), rejection);
      return;
    }
    this.onSync?.((performance.now() - started) / 1000, batch.length);
    for (const { settle } of batch) settle();
  }

  /**
   * Runs a transaction that has to begin in time. lmdb-js never settles the promise of one that LMDB
   * refuses to begin (`WriteWorker::Write` in writer.cpp), nor of any later one.
   */
  #begun(run: (isGivenUp: () => boolean) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      let isGivenUp = false;
      const timer = setTimeout(() => {
        isGivenUp = true;
        const waited = `LMDB has begun no transaction for ${this.beginLimitMs / 1000} s`;
        reject(new BackendError('Unavailable', waited));
      }, this.beginLimitMs);
      commitBegins();
      this.tables.root
        .transaction(() => {
          clearTimeout(timer);
          run(() => isGivenUp);
        })
        .finally(() => {
          clearTimeout(timer);
          commitEnds();
        })
        .then(resolve, reject);
    });
  }

  /** Inside the transaction, synchronously. */
  #runOperations(): Waiting[] {
    const transaction = new WriteTransaction(this.tables, this.ids);
    const deadline = performance.now() + LOOP_BUDGET_MS;
    let count = 0;
    for (const waiting of this.#queue) {
      runOne(transaction, waiting);
      count++;
      if (performance.now() > deadline) break;
    }
    transaction.finish();
    return this.#queue.splice(0, count);
  }

  async #fail(batch: readonly Waiting[], rejection: unknown): Promise<void> {
    const { error, certain } = await commitFailure(rejection, this.freeBytes);
    // LMDB gives up an environment whose meta page could not be written; so do we, until a restart.
    if (!certain) this.#failed = new UncertainCommitError(error);
    for (const { reject } of batch) reject(this.#failed ?? error);
  }
}

/** The index may or may not hold what was to be committed; nothing may be undone. */
export class UncertainCommitError extends BackendError {
  constructor(cause: BackendError) {
    super(cause.code, `${cause.message}; the store has to be opened again`, { cause });
  }
}

function runOne(transaction: WriteTransaction, waiting: Waiting): void {
  try {
    const value = waiting.operation(transaction);
    waiting.settle = () => {
      waiting.resolve(value);
    };
  } catch (thrown) {
    const error = asBackendError(thrown);
    waiting.settle = () => {
      waiting.reject(error);
    };
  }
}

function unsettled(): void {
  throw new Error('an operation was settled before it ran');
}
