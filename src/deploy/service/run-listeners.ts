import { DeployError } from './errors.js';
import type { Run } from './run-record.js';

/** The step is null for the run itself. */
export type RunListener = (run: Run, step: number | null) => void;

const LISTENERS_MAX = 64;

/** Those who follow runs. */
export class RunListeners {
  readonly #of = new Map<string, Set<RunListener>>();

  /** @returns what ends the subscription @throws DeployError `busy` */
  add(run: Run, listener: RunListener): () => void {
    const all = this.#of.get(run.id) ?? new Set();
    if (all.size >= LISTENERS_MAX) throw new DeployError('busy', 'Too many follow this run.');
    this.#of.set(run.id, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) this.#of.delete(run.id);
    };
  }

  tell(run: Run, step: number | null): void {
    for (const listener of this.#of.get(run.id) ?? []) listener(run, step);
  }
}
