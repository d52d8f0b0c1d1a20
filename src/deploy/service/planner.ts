import { Piscina } from 'piscina';
import type { PlanAnswer, PlannerTask, ValidateAnswer } from './planner-protocol.js';

const WORKER = new URL('../../../workers/deploy-plan.js', import.meta.url).href;
/** A plan of 1,000 devices at part power 16 takes a third of it. */
const HEAP_MIB_MAX = 448;
const QUEUE_MAX = 16;
const IDLE_MS = 30_000;

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

  /** @throws Error when too many wait */
  validate(text: string, member?: 'spec'): Promise<ValidateAnswer> {
    const task: PlannerTask = { kind: 'validate', text, member };
    return this.#pool.run(task) as Promise<ValidateAnswer>;
  }

  /** The plan's files, and what will be in force, are in the state directory once it resolves. */
  plan(task: Omit<Extract<PlannerTask, { kind: 'plan' }>, 'kind'>): Promise<PlanAnswer> {
    const whole: PlannerTask = { kind: 'plan', ...task };
    return this.#pool.run(whole) as Promise<PlanAnswer>;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
