import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { tryLock, unlock } from 'fs-native-extensions';
import { BackendError } from '../errors.js';
import { StoreOpenError } from './open-error.js';

/** The bytes of the index whose locks make the gate; LMDB locks none of this file. */
const LINE = { start: 0, length: 1 };
const GATE = { start: 1, length: 1 };
const LINE_AND_GATE = { start: 0, length: 2 };
const OPENERS = { start: 2, length: 1 };

type Bytes = typeof LINE;

/** The kernel offers no wait with a limit, and a wait without one would keep a thread of libuv's pool. */
const RETRY_MS = 1;
/** An opener that has waited for another one begins so much later: commits get in between. */
const COURTESY_MS = 2 * RETRY_MS;
/** A process that holds the gate for so long is stopped or hangs. */
const PATIENCE_MS = 30_000;

/**
 * Keeps opens and commits of one index apart, in all processes and threads.
 *
 * LMDB as lmdb-js 3.5.6 has it writes, at **every** open, the number of the transaction that it has
 * read from the header some time before into the table that all processes share (ITS#9496; mdb.c,
 * `mdb_env_open2`). A commit in between is forgotten: readers see the state before it, and the next
 * writer begins there and overwrites it for good. So an opener is alone, and commits share:
 *
 *   opener    OPENERS alone ─► LINE alone ─► GATE alone ─► open() or close() ─► all free
 *   commit    LINE and GATE shared ─► LINE free ─► transaction, until its promise settles ─► GATE free
 *
 * An opener that waits for the gate holds LINE: no commit overtakes it, and it waits only for those
 * under way. Openers line up at OPENERS, so that commits that wait get in between two of them.
 *
 * The locks are open file description locks (fcntl(2)) on the index itself: the kernel drops them with
 * the process, and there is no lock file that could be lost or replaced.
 */
export class IndexGate {
  readonly #fd: number;

  /**
   * Creates the index where it is missing, empty, as LMDB takes it.
   * @param onWait - called with each wait of an opener or a commit, when it is over
   * @throws errors of the file system
   */
  constructor(
    private readonly index: string,
    private readonly onWait?: (waiter: GateWaiter, seconds: number) => void,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.#fd = openSync(index, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /**
   * Does `work` while no other process or thread opens, closes or commits.
   * @throws StoreOpenError `unavailable`: the gate cannot be locked, or does not get free
   */
  async alone<T>(work: () => T | Promise<T>): Promise<T> {
    const steps = this.#stepsAlone();
    try {
      for (const waitMs of steps) await delay(waitMs);
      return await work();
    } finally {
      this.#free();
    }
  }

  /** The same for a thread that has no event loop to keep going. */
  aloneSync<T>(work: () => T): T {
    try {
      for (const waitMs of this.#stepsAlone()) Atomics.wait(NEVER_WOKEN, 0, 0, waitMs);
      return work();
    } finally {
      this.#free();
    }
  }

  /**
   * Lets a commit begin; one at a time. A promise only where an opener is in the way.
   * @throws BackendError Unavailable, also from the promise
   */
  enter(): Promise<void> | undefined {
    if (!this.#trySharing()) return this.#waitToShare();
    unlock(this.#fd, LINE.start, LINE.length);
    return undefined;
  }

  /** The commit has settled. */
  leave(): void {
    unlock(this.#fd, GATE.start, GATE.length);
  }

  /** Whether another index lies at the path by now: then this gate is of no use. */
  isReplaced(): boolean {
    const there = statSync(this.index, { throwIfNoEntry: false });
    return there?.ino !== fstatSync(this.#fd).ino;
  }

  /** Frees whatever is held. */
  close(): void {
    closeSync(this.#fd);
  }

  async #waitToShare(): Promise<void> {
    const startedAt = performance.now();
    while (!this.#trySharing()) {
      if (performance.now() - startedAt > this.patienceMs) {
        throw new BackendError(
          'Unavailable',
          this.#stuck('a process that opens or closes the store'),
        );
      }
      await delay(RETRY_MS);
    }
    unlock(this.#fd, LINE.start, LINE.length);
    this.onWait?.('commit', (performance.now() - startedAt) / 1000);
  }

  #trySharing(): boolean {
    const { start, length } = LINE_AND_GATE;
    return tryLock(this.#fd, start, length, SHARED);
  }

  /** Takes the locks of an opener in turn; yields how many milliseconds to wait before it goes on. */
  *#stepsAlone(): Generator<number, void> {
    const startedAt = performance.now();
    let hasWaited = false;
    for (const bytes of [OPENERS, LINE, GATE]) {
      while (!this.#tryAlone(bytes)) {
        if (performance.now() - startedAt > this.patienceMs) {
          throw new StoreOpenError('unavailable', this.#stuck('another process'));
        }
        hasWaited = true;
        yield RETRY_MS;
      }
      if (bytes === OPENERS && hasWaited) yield COURTESY_MS;
    }
    if (hasWaited) this.onWait?.('open', (performance.now() - startedAt) / 1000);
  }

  #tryAlone({ start, length }: Bytes): boolean {
    try {
      return tryLock(this.#fd, start, length);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StoreOpenError(
        'unavailable',
        `cannot lock ${this.index} (${reason}): the embedded store needs a local file system with open file description locks`,
        { cause: error },
      );
    }
  }

  #free(): void {
    unlock(this.#fd, LINE_AND_GATE.start, LINE_AND_GATE.length);
    // Last: commits that wait come before the next opener.
    unlock(this.#fd, OPENERS.start, OPENERS.length);
  }

  #stuck(holder: string): string {
    return `${holder} has held the gate of ${this.index} for ${this.patienceMs / 1000} s: it is stopped or hangs`;
  }
}

/** `open`: a process or thread that opens or closes the index had to wait. */
export type GateWaiter = 'open' | 'commit';

const SHARED = { shared: true } as const;
const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));
