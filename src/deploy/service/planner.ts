import { Piscina } from 'piscina';
import type { Pruned, PruneRequest } from '../state/prune.js';
import { DeployError } from './errors.js';
import type { ImportAnswer, PlanAnswer, PlannerTask, ValidateAnswer } from './planner-protocol.js';

const WORKER = new URL('../../../workers/deploy-plan.js', import.meta.url).href;
/** A plan of 1,000 devices at part power 16 takes a third of it. */
const HEAP_MIB_MAX = 448;
const QUEUE_MAX = 16;
const IDLE_MS = 30_000;
/** With its time in the queue; rings of any use take a small part of it. */
const TIMEOUT_MS = 10 * 60_000;

/** The thread on which specifications are read and plans are made: neither is for an event loop. */
export class Planner {
  readonly #pool = new Piscina({
    filename: WORKER,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: QUEUE_MAX,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX },
  });

  constructor(private readonly timeoutMs = TIMEOUT_MS) {}

  /** @throws DeployError `unprocessable` when it takes too long, Error when too many wait */
  validate(text: string, member?: 'spec'): Promise<ValidateAnswer> {
    return this.#run({ kind: 'validate', text, member });
  }

  /**
   * The plan's files, and what will be in force, are in the state directory once it resolves.
   *
   * @throws as `validate` does
   */
  plan(task: Omit<Extract<PlannerTask, { kind: 'plan' }>, 'kind'>): Promise<PlanAnswer> {
    return this.#run({ kind: 'plan', ...task });
  }

  /** @throws as `validate` does */
  importRings(text: string, stateDir: string): Promise<ImportAnswer> {
    return this.#run({ kind: 'import-rings', text, stateDir });
  }

  /** Deletes what is old and nothing needs, between plans. @throws as `validate` does */
  prune(stateDir: string, request: PruneRequest): Promise<Pruned> {
    return this.#run({ kind: 'prune', stateDir, ...request });
  }

  /** The thread ends with a task that is given up: others wait for it. */
  async #run<Answer>(task: PlannerTask): Promise<Answer> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      return (await this.#pool.run(task, { signal })) as Answer;
    } catch (error) {
      if (!signal.aborted) throw error;
      const message = `It takes more than ${this.timeoutMs / 1000} s: the rings are too large, or plans before it are.`;
      throw new DeployError('unprocessable', message);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
