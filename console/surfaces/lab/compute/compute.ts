import { fileURLToPath } from 'node:url';
import { MessageChannel, type Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { ApiError } from '../../../server/api-error.js';
import type { GenomeOptions, GenomeProgress, GenomeResult } from '../genome/search.js';
import { ringFileProblem } from '../ground/lab-rings.js';
import type { ComputeAnswer, ComputeTask, Computation, Computations } from './tasks.js';

/** Requests that wait for the thread. */
const WAITING_MAX = 16;
/** A thread that was idle for so long ends, and its rings with it. */
const IDLE_MS = 30_000;
const HEAP_MB_MAX = 1024;

/**
 * Computes for the Lab on threads of its own: one for requests, and one more for a search, which
 * takes minutes.
 */
export class LabCompute {
  readonly #requests = new ComputeThread();
  readonly #searches = new ComputeThread();

  /**
   * @throws ApiError busy; unprocessable and others for what cannot be computed
   */
  run<Name extends Exclude<Computation, 'genome'>>(
    name: Name,
    input: Computations[Name]['input'],
  ): Promise<Computations[Name]['output']> {
    return this.#requests.run(name, input);
  }

  /**
   * Searches weights; only one search runs, others wait.
   * @param signal - ends the search
   * @throws ApiError; AbortError
   */
  async search(
    file: string,
    options: GenomeOptions,
    onProgress: (progress: GenomeProgress) => void,
    signal: AbortSignal,
  ): Promise<GenomeResult> {
    const { port1: near, port2: port } = new MessageChannel();
    near.on('message', onProgress);
    try {
      return await this.#searches.run(
        'genome',
        { file, options, port },
        { signal, transfer: [port] },
      );
    } finally {
      near.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.close(), this.#searches.close()]);
  }
}

class ComputeThread {
  #pool: Piscina<ComputeTask, ComputeAnswer> | undefined;

  async run<Name extends Computation>(
    name: Name,
    input: Computations[Name]['input'],
    { signal, transfer = [] }: { signal?: AbortSignal; transfer?: readonly Transferable[] } = {},
  ): Promise<Computations[Name]['output']> {
    const pool = (this.#pool ??= this.#start());
    if (pool.queueSize >= WAITING_MAX) {
      throw new ApiError('busy', 'Too many computations wait.', undefined, 5);
    }
    const task = { name, input } as ComputeTask;
    const options = { transferList: [...transfer], signal: signal ?? null };
    const answer = await pool.run(task, options).catch((error: unknown) => {
      if (signal?.aborted === true) throw error;
      this.#discard(pool);
      throw new ApiError('busy', 'The computation ended before its result: is there memory left?');
    });
    if ('result' in answer) return answer.result as Computations[Name]['output'];
    const { kind, fault, reason } = answer.problem;
    if (kind === 'build') throw new ApiError('unprocessable', sentence(reason));
    throw ringFileProblem(fault, reason);
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }

  #start(): Piscina<ComputeTask, ComputeAnswer> {
    const pool = new Piscina<ComputeTask, ComputeAnswer>({
      filename: fileURLToPath(new URL('thread.js', import.meta.url)),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    // Emitted when the thread dies between tasks: the next task starts another.
    pool.on('error', () => {
      this.#discard(pool);
    });
    return pool;
  }

  #discard(pool: Piscina<ComputeTask, ComputeAnswer>): void {
    if (this.#pool === pool) this.#pool = undefined;
    void pool.destroy();
  }
}

/** A reason of the ring engine as a sentence of its own. */
function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
