import { fileURLToPath } from 'node:url';
import { CapsuleError } from '../../../../src/capsule/capsule-error.js';
import type { Logger } from '../../../../src/telemetry/logger.js';
import { ApiError } from '../../../server/api-error.js';
import { ComputeThread, type ComputeCall } from '../../../server/compute-thread.js';
import type { GenomeOptions, GenomeProgress } from '../genome/search.js';
import { ringFileProblem } from '../ground/lab-rings.js';
import type { ComputeAnswer, ComputeTask, Computation, Computations } from './tasks.js';

type LabThread = ComputeThread<ComputeTask, ComputeAnswer>;

/**
 * Computes for the Lab on threads of its own: one for requests, and one more for a search, which
 * takes minutes.
 */
export class LabCompute {
  readonly #requests: LabThread;
  readonly #searches: LabThread;

  constructor(logger: Pick<Logger, 'error'>) {
    this.#requests = labThread(logger);
    this.#searches = labThread(logger);
  }

  /**
   * @throws ApiError busy; unprocessable and others for what cannot be computed; CapsuleError
   */
  run<Name extends Exclude<Computation, 'genome'>>(
    name: Name,
    input: Computations[Name]['input'],
  ): Promise<Computations[Name]['output']> {
    return compute(this.#requests, name, input);
  }

  /**
   * Searches weights; only one search runs, others wait.
   * @returns a `GenomeResult` as JSON
   * @param signal - ends the search
   * @throws ApiError; AbortError
   */
  search(
    file: string,
    options: GenomeOptions,
    onProgress: (progress: GenomeProgress) => void,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    return compute(this.#searches, 'genome', { file, options }, { onProgress, signal });
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.close(), this.#searches.close()]);
  }
}

function labThread(logger: Pick<Logger, 'error'>): LabThread {
  return new ComputeThread({ file: fileURLToPath(new URL('thread.js', import.meta.url)), logger });
}

async function compute<Name extends Computation>(
  thread: LabThread,
  name: Name,
  input: Computations[Name]['input'],
  call: ComputeCall<GenomeProgress> = {},
): Promise<Computations[Name]['output']> {
  const answer = await thread.run({ name, input }, call);
  if ('result' in answer) return answer.result as Computations[Name]['output'];
  if ('capsuleProblem' in answer) {
    const { fault, file, reason } = answer.capsuleProblem;
    throw new CapsuleError(fault, file, reason);
  }
  const { kind, fault, reason } = answer.problem;
  if (kind === 'build') throw new ApiError('unprocessable', sentence(reason));
  throw ringFileProblem(fault, reason);
}

/** A reason of the ring engine as a sentence of its own. */
function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
