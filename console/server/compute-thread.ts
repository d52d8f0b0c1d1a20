import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Logger } from '../../src/telemetry/logger.js';
import { ApiError } from './api-error.js';

export interface ComputeThreadOptions {
  /** The module of the thread: its default export is called with a {@link ThreadTask}. */
  readonly file: string;
  /** Gets unexpected errors, of which the browser is told no more than that there was one. */
  readonly logger: Pick<Logger, 'error'>;
  /** Tasks that wait; of more, `busy`. */
  readonly waitingMax?: number;
  readonly heapMbMax?: number;
}

/** The argument of the function that a thread runs. */
export interface ThreadTask<Task> {
  readonly task: Task;
  /** The port for what `onProgress` is to be told; null where there is no listener. */
  readonly progress: MessagePort | null;
}

export interface ComputeCall<Progress> {
  /** Ends the thread, whatever it is doing: the next task starts another. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** A thread that was idle for so long ends, and what it keeps with it. */
const IDLE_MS = 30_000;
const WAITING_MAX = 16;
const HEAP_MB_MAX = 1024;

/**
 * A thread for work that takes longer than an event loop may: one task at a time, the others wait.
 * It begins with the first task.
 */
export class ComputeThread<Task extends { readonly name: string }, Answer> {
  #pool: Piscina<ThreadTask<Task>, Answer> | undefined;

  constructor(private readonly options: ComputeThreadOptions) {}

  /**
   * @throws ApiError busy; unprocessable for what takes more memory than a computation may have;
   *   internal for what failed, or ended, unexpectedly; AbortError when `signal` ended it
   */
  async run<Progress>(
    task: Task,
    { signal, onProgress }: ComputeCall<Progress> = {},
  ): Promise<Answer> {
    const pool = (this.#pool ??= this.#start());
    if (pool.queueSize >= (this.options.waitingMax ?? WAITING_MAX)) {
      throw new ApiError(
        'busy',
        'The compute queue of the console is full. Try again in a few seconds.',
        undefined,
        5,
      );
    }
    const channel = onProgress === undefined ? undefined : new MessageChannel();
    if (onProgress !== undefined) channel?.port1.on('message', onProgress);
    try {
      const progress = channel?.port2 ?? null;
      const transferList = progress === null ? [] : [progress];
      return await pool.run({ task, progress }, { transferList, signal: signal ?? null });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      this.#discard(pool);
      throw this.#failure(task.name, error);
    } finally {
      channel?.port1.close();
    }
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }

  #failure(name: string, error: unknown): ApiError {
    const { logger, heapMbMax = HEAP_MB_MAX } = this.options;
    logger.error({ err: error, computation: name }, 'a computation failed');
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
      const text = `takes more than the ${heapMbMax} MB of memory that it may have.`;
      return new ApiError('unprocessable', `The computation “${name}” ${text}`);
    }
    const text = `The computation “${name}” failed: the log of the console says why.`;
    return new ApiError('internal', text);
  }

  #start(): Piscina<ThreadTask<Task>, Answer> {
    const { file: filename, heapMbMax = HEAP_MB_MAX } = this.options;
    const pool = new Piscina<ThreadTask<Task>, Answer>({
      filename,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    });
    // Emitted when the thread dies between tasks: the next task starts another.
    pool.on('error', () => {
      this.#discard(pool);
    });
    return pool;
  }

  #discard(pool: Piscina<ThreadTask<Task>, Answer>): void {
    if (this.#pool === pool) this.#pool = undefined;
    void pool.destroy();
  }
}
