import { performance } from 'node:perf_hooks';
import { Piscina } from 'piscina';
import { BatchPool } from '../lib/buffers/batch-pool.js';
import { DigestLaneError } from './body-digest.js';
import type { Digests, WantedDigests } from './running-digests.js';

/** The cost of one task on a lane; for the metrics. */
export interface LaneTaskTiming {
  /** Seconds from posting until the thread took it. */
  readonly waitS: number;
  /** On the thread, in seconds. */
  readonly runS: number;
  readonly bytes: number;
}

export interface DigestOptions {
  /** Bodies up to this size are hashed on the event loop. */
  readonly inlineBytesMax?: number;
  /** Threads of this process. */
  readonly lanes?: number;
  /** Bytes of one body that may wait on its lane before `update` asks for patience. */
  readonly bodyBytesInFlightMax?: number;
  /** The same for all bodies of a lane together; also bounds their half-filled batches. */
  readonly laneBytesInFlightMax?: number;
  /** Largest piece that is handed to a thread at once. */
  readonly batchBytesMax?: number;
  /** Address of the thread's module. */
  readonly workerFile?: string;
  readonly onTask?: (timing: LaneTaskTiming) => void;
}

export type FilledDigestOptions = Required<DigestOptions>;

export const DIGEST_DEFAULTS: FilledDigestOptions = {
  // A hop costs more than hashing 64 KiB, and less than the wait that 256 KiB causes others.
  inlineBytesMax: 131_072,
  lanes: 1,
  bodyBytesInFlightMax: 1_048_576,
  laneBytesInFlightMax: 16_777_216,
  batchBytesMax: 262_144,
  workerFile: new URL('../../workers/digest-lane.js', import.meta.url).href,
  onTask: () => undefined,
};

/** Below this a batch costs more to hand over than to hash. */
const BATCH_BYTES_MIN = 16_384;

/**
 * The messages between the event loop and a lane's thread. All tasks of one body go to one thread,
 * in order; the thread keeps the state of a body between its first task and its last.
 */
export interface LaneTask {
  /** The id of the body; never used twice on a lane. */
  readonly id: number;
  /** The digests to open; present with the first task of a body only. */
  readonly wanted?: WantedDigests | undefined;
  /** Shared memory: it stays as it is until the task is answered. */
  readonly bytes?: Uint8Array<SharedArrayBuffer> | undefined;
  /** The last task of a body: its digests are the answer, or it is forgotten. */
  readonly end?: 'finish' | 'abort' | undefined;
}

/**
 * A lost body is an answer and not an exception, so that a rejected task always means that the
 * thread itself is gone.
 */
export interface LaneAnswer {
  /** Time on the thread, in seconds. */
  readonly runS: number;
  /** The thread does not know the body: it was replaced in between. */
  readonly lost: boolean;
  readonly digests?: Digests | undefined;
}

/** A caller who waits until enough has been hashed. */
interface Waiter {
  readonly ready: () => boolean;
  readonly resume: () => void;
}

/**
 * One thread that hashes, behind a piscina pool of its own: a body is pinned to a lane, because
 * the state of a hash cannot move between threads. The thread starts with the first body.
 */
export class DigestLane {
  readonly batches: BatchPool;
  #pool: Piscina | undefined;
  #closed = false;
  #lastId = 0;
  #bodies = 0;
  #tasks = 0;
  #bytesInFlight = 0;
  #bytesTotal = 0;
  #waiters: Waiter[] = [];

  constructor(private readonly options: FilledDigestOptions) {
    const { batchBytesMax, laneBytesInFlightMax } = options;
    // Half of what may be in flight: the peak of a busy lane is not kept for ever.
    this.batches = new BatchPool(batchBytesMax, laneBytesInFlightMax / batchBytesMax / 2);
  }

  /** Bodies that are open: how busy the lane is going to be. */
  get bodies(): number {
    return this.#bodies;
  }

  /** Tasks posted and not answered; the thread runs one of them. */
  get tasks(): number {
    return this.#tasks;
  }

  /** Bytes hashed since the start. */
  get bytesTotal(): number {
    return this.#bytesTotal;
  }

  /** @returns the new body's id; `closeBody` goes with it */
  openBody(): number {
    this.#bodies += 1;
    this.#lastId += 1;
    return this.#lastId;
  }

  closeBody(): void {
    this.#bodies -= 1;
  }

  /**
   * Size of a body's next batch: smaller when many bodies fill one each, so that thousands of slow
   * uploads stay within the lane's bound.
   */
  batchBytes(): number {
    const share = Math.floor(this.options.laneBytesInFlightMax / Math.max(1, this.#bodies));
    return Math.max(BATCH_BYTES_MIN, Math.min(this.options.batchBytesMax, share));
  }

  /**
   * Tasks run in the order in which they are posted. The task's bytes must not change before the answer.
   * @param settle called before anybody who waits for room is asked whether there is enough
   * @throws DigestLaneError when the thread is lost, and with it all bodies that were on it
   */
  async run(task: LaneTask, settle: () => void): Promise<LaneAnswer> {
    const bytes = task.bytes?.byteLength ?? 0;
    const postedAt = performance.now();
    this.#tasks += 1;
    this.#bytesInFlight += bytes;
    try {
      const answer = await this.#post(task);
      this.#bytesTotal += bytes;
      const totalS = (performance.now() - postedAt) / 1000;
      this.options.onTask({ waitS: Math.max(0, totalS - answer.runS), runS: answer.runS, bytes });
      return answer;
    } finally {
      this.#tasks -= 1;
      this.#bytesInFlight -= bytes;
      settle();
      this.#wake();
    }
  }

  /** Resolves once the lane is within its bound and `ready` holds; in order of arrival. */
  waitForRoom(ready: () => boolean): Promise<void> {
    return new Promise((resume) => {
      this.#waiters.push({ ready, resume });
    });
  }

  hasRoom(): boolean {
    return this.#bytesInFlight <= this.options.laneBytesInFlightMax;
  }

  /** Ends the thread after the tasks that were posted. Later bodies fail. */
  async close(): Promise<void> {
    this.#closed = true;
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.close();
  }

  async #post(task: LaneTask): Promise<LaneAnswer> {
    const pool = this.#startedPool();
    try {
      return (await pool.run(task)) as LaneAnswer;
    } catch (error) {
      // The thread's module throws nothing of its own: the thread is gone, or could not start.
      this.#discard(pool);
      throw new DigestLaneError('a digest lane was lost', { cause: error });
    }
  }

  #startedPool(): Piscina {
    if (this.#closed) throw new DigestLaneError('the digest lanes are closed');
    this.#pool ??= this.#startPool();
    return this.#pool;
  }

  #startPool(): Piscina {
    const pool = new Piscina({
      filename: this.options.workerFile,
      minThreads: 1,
      maxThreads: 1,
      // Tasks go to the thread at once, in order; the bounds on bytes keep the queue short.
      concurrentTasksPerWorker: Number.MAX_SAFE_INTEGER,
    });
    // Emitted when the thread dies between tasks, or does not start: piscina would not try again.
    pool.on('error', () => {
      this.#discard(pool);
    });
    return pool;
  }

  /** The next body starts a new pool; what waits in the old one is rejected. */
  #discard(pool: Piscina): void {
    if (this.#pool === pool) this.#pool = undefined;
    void pool.destroy();
  }

  #wake(): void {
    if (this.#waiters.length === 0 || !this.hasRoom()) return;
    this.#waiters = this.#waiters.filter((waiter) => {
      if (!waiter.ready()) return true;
      waiter.resume();
      return false;
    });
  }
}
