import { performance } from 'node:perf_hooks';
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { Semaphore } from '../../lib/semaphore.js';
import type { CallContext } from '../../backend/backend.js';
import { throwIfAborted } from '../../backend/call-context.js';
import { S3Error } from '../errors.js';

/** The times that one task took; for the metrics. */
export interface TaskTiming {
  /** From asking until the thread took it, in seconds. */
  readonly waitS: number;
  /** On the thread, in seconds. */
  readonly runS: number;
}

export interface PoolThreadStats {
  /** Tasks that wait for the thread. */
  readonly queued: number;
  /** Tasks that the thread has. */
  readonly active: number;
}

export interface PoolThreadOptions {
  /** Address of the thread's module. */
  readonly workerFile: string;
  /** Tasks that may wait for the thread or be on it; one more is refused. */
  readonly tasksMax: number;
  /** Tasks that the thread has at once: more than one where they wait for answers of the loop. */
  readonly tasksAtOnce: number;
  /** A task that waits for longer is refused. */
  readonly waitMsMax: number;
  /** A thread that had nothing to do for this long ends. */
  readonly idleTimeoutMs: number;
  readonly onTask: (timing: TaskTiming) => void;
}

/** The answer of a thread, also for a failure: so a rejected task always means that it is gone. */
export interface TimedAnswer {
  /** Time on the thread, in seconds. */
  readonly runS: number;
}

/** A task, made when its turn has come: until then it holds no memory. */
export interface PostedTask<Task> {
  readonly task: Task;
  readonly transfer: readonly (ArrayBuffer | MessagePort)[];
}

/**
 * One thread with a bounded line in front of it. It starts with the first task, ends after a while
 * without any, and is replaced when it is lost.
 */
export class PoolThread<Task, Answer extends TimedAnswer> {
  #pool: Piscina<Task, Answer> | undefined;
  readonly #semaphore: Semaphore;
  readonly #running = new Set<Promise<Answer>>();
  #closed = false;

  constructor(private readonly options: PoolThreadOptions) {
    const { tasksMax, tasksAtOnce, waitMsMax } = options;
    const queueMax = tasksMax - tasksAtOnce;
    this.#semaphore = new Semaphore({ capacity: tasksAtOnce, queueMax, waitMsMax });
  }

  /**
   * @param call - of the request that waits: one that is given up is not begun
   * @throws S3Error `ServiceUnavailable` when too many tasks wait, when this one waited for too
   *   long, when the thread is lost, and after `close`; the reason why the call was given up
   */
  async run(make: () => PostedTask<Task>, call?: CallContext): Promise<Answer> {
    if (this.#closed) throw new S3Error('ServiceUnavailable');
    const running = this.#enterAndRun(make, call);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  stats(): PoolThreadStats {
    return { active: this.#semaphore.used, queued: this.#semaphore.waiting };
  }

  /** Ends the thread after what was begun; resolves when it is gone. Later tasks fail. */
  async close(): Promise<void> {
    this.#closed = true;
    // Piscina's own close forgets what waits for a thread that is still starting.
    await Promise.allSettled(this.#running);
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.close();
  }

  async #enterAndRun(make: () => PostedTask<Task>, call: CallContext | undefined): Promise<Answer> {
    const askedAt = performance.now();
    const refusal = this.#semaphore.tryEnter(1) ? undefined : await this.#semaphore.enter(1);
    if (refusal !== undefined) throw new S3Error('ServiceUnavailable');
    try {
      throwIfAborted(call);
      const answer = await this.#post(make());
      const totalS = (performance.now() - askedAt) / 1000;
      this.options.onTask({ waitS: Math.max(0, totalS - answer.runS), runS: answer.runS });
      return answer;
    } finally {
      this.#semaphore.leave(1);
    }
  }

  async #post({ task, transfer }: PostedTask<Task>): Promise<Answer> {
    const pool = (this.#pool ??= this.#startPool());
    try {
      return await pool.run(task, { transferList: [...transfer] });
    } catch (error) {
      // The thread's module throws nothing of its own: the thread is gone, or could not start.
      this.#discard(pool);
      throw new S3Error('ServiceUnavailable', undefined, {}, { cause: error });
    }
  }

  #startPool(): Piscina<Task, Answer> {
    const { workerFile, tasksAtOnce, idleTimeoutMs } = this.options;
    const pool = new Piscina<Task, Answer>({
      filename: workerFile,
      minThreads: 0,
      maxThreads: 1,
      concurrentTasksPerWorker: tasksAtOnce,
      idleTimeout: idleTimeoutMs,
    });
    // Emitted when the thread dies between tasks, or does not start: piscina would not try again.
    pool.on('error', () => {
      this.#discard(pool);
    });
    return pool;
  }

  /** The next task starts a new pool; what waits in the old one is rejected. */
  #discard(pool: Piscina<Task, Answer>): void {
    if (this.#pool === pool) this.#pool = undefined;
    void pool.destroy();
  }
}
